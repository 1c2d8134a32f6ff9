/** The statements of an edit of one channel, with its key, headers and key states. */
import { isDeepStrictEqual } from "node:util";
import type { ChannelChange } from "@tollgate/contract/catalogue/channel-input.ts";
import { channelStatus } from "@tollgate/contract/catalogue/channels.ts";
import { checkUnmanaged } from "../../http/managed-by-file.ts";
import { refuse } from "../../http/refusal.ts";
import type { AuthenticatedContext } from "../../http/request-context.ts";
import type { Sealer } from "../../secrets/seal.ts";
import type { Write } from "../../storage/database.ts";
import { openHeaderValues, sealHeaderValues } from "./channel-headers.ts";
import {
  chooseKey,
  describeKey,
  openChannelKey,
  sealChannelKey,
  splitKeys,
} from "./channel-key.ts";
import { changeKeys, listKeysToEnable } from "./channel-key-rules.ts";
import type { ChannelKeyStore } from "./channel-key-store.ts";
import { changeChannel, listDifferences } from "./channel-rules.ts";
import type { ChannelRow, ChannelStore } from "./channel-store.ts";

export interface ChannelEditorDeps {
  channels: ChannelStore;
  keys: ChannelKeyStore;
  seal: Sealer;
}

export interface ChannelEditPlan {
  /** The columns that the edit sets, without sealed ones. */
  columns: ReturnType<typeof changeChannel>["columns"];
  /** The hint of a new key. */
  keyHint: string | undefined;
  /** `changed` is what changes, without secrets. */
  changed: Record<string, unknown>;
  writes: Write[];
  audits: Write[];
}

/** `stateMembers` are what an edit of the status alone names. */
const stateMembers: ReadonlySet<string> = new Set(["id", "uuid", "status", "updated_at"]);

export type PlanChannelEdit = ReturnType<typeof createChannelEditor>;

export function createChannelEditor({ channels, keys, seal }: ChannelEditorDeps) {
  /**
   * `managedBy`: the configuration file that makes the edit, and that the channel belongs to
   * afterwards.
   */
  return async (
    call: AuthenticatedContext,
    channel: ChannelRow,
    edit: ChannelChange,
    managedBy: string | undefined = edit.managed_by,
  ): Promise<ChannelEditPlan> => {
    if (managedBy === undefined && Object.keys(edit).some((name) => !stateMembers.has(name)))
      checkUnmanaged(channel);
    if (edit.updated_at !== undefined && edit.updated_at !== channel.updated_at)
      throw refuse("changed_meanwhile");
    const storedHeaders = openHeaderValues(seal, channel);
    const secrets = { hasKey: channel.key_sealed !== "", headers: storedHeaders };
    const { columns, key: given, headers, isMoved } = changeChannel(channel, edit, secrets);
    const isSameType = columns.type === channel.type;
    const stored = openChannelKey(seal, channel);
    const derived =
      given === undefined && isSameType
        ? chooseKey(channel.type, stored, columns.config)
        : undefined;
    // A program that repeats its request sends the key that is stored already.
    const whole = given === stored ? undefined : (given ?? derived);
    const rows = await keys.ofChannels([channel.uuid]);
    const isAdded = edit.key_added === true;
    const { key, rows: rowsAfter } = changeKeys({ ...channel, stored, rows }, columns, {
      given: whole,
      isAdded,
      isMoved,
    });
    const areHeadersChanged = !isDeepStrictEqual(headers, storedHeaders);
    const keyHint =
      key === undefined ? undefined : describeKey(columns.type, splitKeys(key)[0] ?? "");
    const sealed = {
      ...(key !== undefined && { key_sealed: sealChannelKey(seal, channel.uuid, key) }),
      ...(keyHint !== undefined && { key_hint: keyHint }),
      ...(managedBy !== undefined && { managed_by: managedBy }),
      ...(areHeadersChanged && { headers_sealed: sealHeaderValues(seal, channel.uuid, headers) }),
    };
    const isEnabledNow =
      columns.status === channelStatus.enabled && channel.status !== channelStatus.enabled;
    const enabled = { status: channelStatus.enabled, reason: "", changed_at: call.now };
    const states = rowsAfter
      ? keys.replace(channel.uuid, rowsAfter)
      : (isEnabledNow ? listKeysToEnable(rows) : []).map((row) => keys.change(row, enabled));
    const updated_at = Math.max(call.now, channel.updated_at + 1);
    const changed = {
      ...listDifferences(channel, columns, { isKeyChanged: key !== undefined, areHeadersChanged }),
      ...(managedBy !== undefined && managedBy !== channel.managed_by && { managed_by: managedBy }),
    };
    return {
      columns,
      keyHint,
      changed,
      writes: [channels.update(channel, { ...columns, ...sealed, updated_at }), ...states],
      audits: call.audit("channel.update", channel.uuid, changed),
    };
  };
}
