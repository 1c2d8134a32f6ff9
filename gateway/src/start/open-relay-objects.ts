/**
 * Opens what calls leave here and at providers for later ones: answers, states, files, batches,
 * videos and dual runs.
 */
import { channelTypeIds } from "@tollgate/contract/catalogue/channel-types.ts";
import { createShadowStore } from "../figures/shadow/shadow-store.ts";
import type { RelayCaller } from "../relay/admission/api-keys.ts";
import { createBatchStore } from "../relay/batches/batch-store.ts";
import { type BatchesDeps, createBatches } from "../relay/batches/batches.ts";
import { createKeptObjectStore } from "../relay/kept-objects/kept-object-store.ts";
import { createUploadSessions } from "../relay/kept-objects/upload-sessions.ts";
import { openProviderStates } from "../relay/provider-states/open-provider-states.ts";
import { createProviderStateStore } from "../relay/provider-states/provider-state-store.ts";
import { createReasoningHomes } from "../relay/provider-states/reasoning-homes.ts";
import type { RelaySettings } from "../relay/relay-settings.ts";
import { buildDraftChannel } from "../relay/routing/draft-channel.ts";
import { openShadowRuns } from "../relay/shadow/shadow-runs.ts";
import { createFileStore } from "../relay/stored-files/file-store.ts";
import { createStoredResponseStore } from "../relay/stored-responses/stored-response-store.ts";
import { createStoredResponses } from "../relay/stored-responses/stored-responses.ts";
import type { SendDeps } from "../relay/upstream/send.ts";
import { KnownRefusals } from "../relay/value-rules/known-refusals.ts";
import { createVideoStore } from "../relay/videos/video-store.ts";
import { createVideos } from "../relay/videos/video-tasks.ts";
import type { Sealer } from "../secrets/seal.ts";
import type { Database } from "../storage/database.ts";

interface RelayObjectsDeps
  extends Pick<BatchesDeps, "channels" | "metrics" | "onShortfall" | "onError"> {
  db: Database;
  seal: Sealer;
  sending: SendDeps;
  settings: RelaySettings;
  callerOfToken(id: number): Promise<RelayCaller | undefined>;
}

export async function openRelayObjects(deps: RelayObjectsDeps) {
  const { db, seal, sending, settings, channels, metrics, callerOfToken, onShortfall, onError } =
    deps;
  const { now } = sending;
  const storedResponses = createStoredResponses({
    db,
    store: createStoredResponseStore(db),
    seal,
    now,
    isOn: settings.holdsAnswers,
    isEstimateRough: settings.isEstimateRough,
    onError,
  });
  const reasoningHomes = createReasoningHomes({ db, now, onError });
  const providerStates = await openProviderStates({
    db,
    store: createProviderStateStore(db),
    now,
    onError,
  });
  const files = createFileStore(db);
  const keptObjects = createKeptObjectStore(db);
  const uploads = createUploadSessions({ db, seal, callerOfToken, now });
  const tasks = { ...sending, db, states: providerStates, channels, metrics, onShortfall, onError };
  const batches = createBatches({ ...tasks, store: createBatchStore(db), mintId: db.mintId });
  const videos = createVideos({ ...tasks, store: createVideoStore(db) });
  const shadowCalls = createShadowStore(db);
  const shadow = await openShadowRuns({
    db,
    store: shadowCalls,
    // The other gateway of a dual run speaks OpenAI's API.
    openChannel: (address, key) =>
      buildDraftChannel({ type: channelTypeIds.openAi, base_url: address, key }),
    now,
    onError,
  });
  return {
    storedResponses,
    reasoningHomes,
    knownRefusals: new KnownRefusals(now),
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
      const purges = [storedResponses, providerStates, shadowCalls, reasoningHomes].map(
        ({ purge }) => purge(at),
      );
      const sweeps = [files, keptObjects, uploads].map(({ sweep }) => sweep(at));
      await db.write([...purges, ...sweeps, batches.sweep(), videos.sweep()]);
    },
  };
}
