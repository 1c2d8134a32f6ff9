/** Opens what calls leave here and at providers for later ones: answers, states, files, batches, videos and dual runs. */
import { channelTypeIds } from "@tollgate/contract/channel-types.ts";
import type { RelayCaller } from "./relay/admission/api-keys.ts";
import { batchStore } from "./relay/batches/batch-store.ts";
import { type BatchesDeps, createBatches } from "./relay/batches/batches.ts";
import { keptObjectStore } from "./relay/kept-objects/kept-object-store.ts";
import { createUploadSessions } from "./relay/kept-objects/upload-sessions.ts";
import { providerStateStore } from "./relay/provider-states/provider-state-store.ts";
import { openProviderStates } from "./relay/provider-states/provider-states.ts";
import { createReasoningHomes } from "./relay/provider-states/reasoning-homes.ts";
import type { RelaySettings } from "./relay/relay-settings.ts";
import { draftChannel } from "./relay/routing/draft-channel.ts";
import { openShadowRuns } from "./relay/shadow/shadow-runs.ts";
import { fileStore } from "./relay/stored-files/file-store.ts";
import { storedResponseStore } from "./relay/stored-responses/stored-response-store.ts";
import { createStoredResponses } from "./relay/stored-responses/stored-responses.ts";
import type { SendDeps } from "./relay/upstream/send.ts";
import { videoStore } from "./relay/videos/video-store.ts";
import { createVideos } from "./relay/videos/video-tasks.ts";
import type { Sealer } from "./secrets/seal.ts";
import { shadowStore } from "./shadow/shadow-store.ts";
import type { Database } from "./storage/database.ts";

interface RelayObjectsDeps extends Pick<BatchesDeps, "channels" | "metrics" | "onShortfall" | "onError"> {
  db: Database;
  seal: Sealer;
  sending: SendDeps;
  settings: RelaySettings;
  callerOfToken(id: number): Promise<RelayCaller | undefined>;
}

export async function openRelayObjects(deps: RelayObjectsDeps) {
  const { db, seal, sending, settings, channels, metrics, callerOfToken, onShortfall, onError } = deps;
  const { now } = sending;
  const storedResponses = createStoredResponses({
    db,
    store: storedResponseStore(db),
    seal,
    now,
    isOn: settings.holdsAnswers,
    isEstimateRough: settings.isEstimateRough,
    onError,
  });
  const reasoningHomes = createReasoningHomes({ db, now, onError });
  const providerStates = await openProviderStates({ db, store: providerStateStore(db), now, onError });
  const files = fileStore(db);
  const keptObjects = keptObjectStore(db);
  const uploads = createUploadSessions({ db, seal, callerOfToken, now });
  const tasks = { ...sending, db, states: providerStates, channels, metrics, onShortfall, onError };
  const batches = createBatches({ ...tasks, store: batchStore(db), mintId: db.mintId });
  const videos = createVideos({ ...tasks, store: videoStore(db) });
  const shadowCalls = shadowStore(db);
  const shadow = await openShadowRuns({
    db,
    store: shadowCalls,
    // The other gateway of a dual run speaks OpenAI's API.
    openChannel: (address, key) => draftChannel({ type: channelTypeIds.openAi, base_url: address, key }),
    now,
    onError,
  });
  return {
    storedResponses,
    reasoningHomes,
    providerStates,
    files,
    keptObjects,
    uploads,
    batches,
    videos,
    shadow,
    refreshBatches: batches.refreshDue,
    refreshVideos: videos.refreshDue,
    async purgeStored() {
      const at = now();
      const purges = [storedResponses, providerStates, shadowCalls, reasoningHomes].map(({ purge }) => purge(at));
      const sweeps = [files, keptObjects, uploads].map(({ sweep }) => sweep(at));
      await db.write([...purges, ...sweeps, batches.sweep(), videos.sweep()]);
    },
  };
}
