/**
 * The settings `MessagePusherAddress` and `MessagePusherToken`, which sites bring from one-api, as
 * a destination of kind custom: it is there as long as they are set.
 */
import { destinationsMax } from "@tollgate/contract/notices/destinations.ts";
import type { Sealer } from "../../secrets/seal.ts";
import { type OptionReader, openSecret } from "../../settings/live-options.ts";
import { type Database, tryWrite } from "../../storage/database.ts";
import type { DestinationStore } from "./destination-store.ts";
import { buildTarget, describeTarget, openTarget, sealTarget } from "./destination-target.ts";

export const messagePusherUuid = "6d657373-6167-7570-8073-686572000001";

interface MessagePusherDeps {
  db: Database;
  destinations: DestinationStore;
  options: OptionReader;
  seal: Sealer;
  clock(): number;
}

/** `composeTemplate` asks as one-api does: https://github.com/songquanpeng/message-pusher */
const composeTemplate = (token: string): string =>
  JSON.stringify({
    title: "{{title}}",
    description: "{{title}}",
    content: "{{text}}\n\n{{link}}",
    token,
  });

/** Brings the destination in line with the settings; does nothing while they stay the same. */
export function createMessagePusher({
  db,
  destinations,
  options,
  seal,
  clock,
}: MessagePusherDeps): () => Promise<void> {
  let synced: string | undefined;

  return async () => {
    const given = options.text("MessagePusherAddress");
    const address = URL.canParse(given) ? given : "";
    const wanted = `${address} ${options.sealed("MessagePusherToken")}`;
    if (wanted === synced) return;
    const row = await destinations.find({ uuid: messagePusherUuid }, 0);
    if (address === "") {
      if (row) await tryWrite(db, destinations.remove(row.id));
      synced = wanted;
      return;
    }
    const template = composeTemplate(openSecret(options, seal, "MessagePusherToken"));
    const target = buildTarget("custom", { address, secret: "", recipient: "", template });
    const now = clock();
    const kept = row && openTarget(seal, row);
    if (kept?.address === address && kept.template === template) {
      synced = wanted;
      return;
    }
    const change = {
      target_sealed: sealTarget(seal, messagePusherUuid, target),
      target_hint: describeTarget("custom", target),
    };
    const shown = {
      name: "Message Pusher",
      kind: "custom",
      language: "",
      severity: "info",
      rules: "",
    } as const;
    const state = {
      disabled: 0,
      disabled_reason: "",
      failing_since: null,
      created_at: now,
      updated_at: now,
    } as const;
    // Of several nodes that see the change, one writes it; the next look finds it.
    await tryWrite(
      db,
      row
        ? [destinations.update(row, { ...change, updated_at: Math.max(now, row.updated_at + 1) })]
        : destinations.insert(
            { uuid: messagePusherUuid, ...shown, ...change, ...state, user_id: 0 },
            destinationsMax,
          ),
    );
  };
}
