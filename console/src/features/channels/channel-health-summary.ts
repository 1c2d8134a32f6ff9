/** The health of a channel as its list row shows it. Pure. Compatible servers send none of it. */
import type {
  ChannelBreaker,
  ChannelKey,
  ChannelUsageMark,
} from "@tollgate/contract/catalogue/channel-health.ts";
import { type Channel, channelStatus } from "@tollgate/contract/catalogue/channels.ts";
import { missing } from "../../ui/format.ts";

type ChannelHealthInput = Pick<Channel, "status"> &
  Partial<
    Pick<Channel, "models" | "address_issue" | "test_time" | "response_time" | "used_quota">
  > & {
    breaker?: readonly ChannelBreaker[];
    usage_marks?: readonly ChannelUsageMark[];
    keys?: readonly ChannelKey[];
  };

export type ChannelHealthSummary =
  | { kind: "no-models" }
  | { kind: "address"; reason: string }
  | { kind: "test-failed"; testedAtSeconds: number }
  | { kind: "never-tested" }
  | { kind: "works"; testedAtSeconds: number; responseMs: number }
  | { kind: "suspended"; secondsLeft: number; breakers: readonly ChannelBreaker[] }
  | { kind: "keys"; working: number; total: number; refused: readonly ChannelKey[] }
  | { kind: "usage"; mark: ChannelUsageMark };

/**
 * `summarizeHealth` gives the gravest of the latest findings about a channel, to stand beside its
 * status. Undefined where nothing is known.
 */
export function summarizeHealth(channel: ChannelHealthInput): ChannelHealthSummary | undefined {
  if (channel.status !== channelStatus.enabled) return undefined;
  return (
    findFault(channel) ??
    findRuntimeHealth(channel) ??
    findUsageHealth(channel) ??
    testHealth(channel)
  );
}

/** `findFault` gives what makes every call fail. */
function findFault({
  models,
  address_issue,
}: ChannelHealthInput): ChannelHealthSummary | undefined {
  if (models?.trim() === "") return { kind: "no-models" };
  if (address_issue) return { kind: "address", reason: address_issue };
  return undefined;
}

function findRuntimeHealth({
  breaker = [],
  keys = [],
}: ChannelHealthInput): ChannelHealthSummary | undefined {
  if (breaker.length > 0) {
    const secondsLeft = Math.max(...breaker.map(({ seconds_left }) => seconds_left));
    return { kind: "suspended", secondsLeft, breakers: breaker };
  }
  const refused = keys.filter(
    (key) => key.status === channelStatus.autoDisabled || key.seconds_left > 0,
  );
  if (refused.length === 0) return undefined;
  const enabled = keys.filter(
    (key) => key.status === channelStatus.enabled && key.seconds_left === 0,
  );
  return { kind: "keys", working: enabled.length, total: keys.length, refused };
}

const gravestMarks = ["usage_capped", "usage_unknown", "usage_far"];

/** The gravest of what its provider reported and what does not fit. */
function findUsageHealth({
  usage_marks = [],
}: ChannelHealthInput): ChannelHealthSummary | undefined {
  const [mark] = usage_marks.toSorted(
    (one, other) => gravestMarks.indexOf(one.mark) - gravestMarks.indexOf(other.mark),
  );
  return mark && { kind: "usage", mark };
}

const isKnown = (value: number | undefined): value is number =>
  value !== undefined && !Number.isNaN(value);

/**
 * `testHealth` calls a channel that was paid for working, even if never tested: a failed test
 * leaves the response time at 0.
 */
function testHealth({
  test_time,
  response_time,
  used_quota,
}: ChannelHealthInput): ChannelHealthSummary | undefined {
  // Compatible servers may send neither, which is unknown and not "never".
  if (!isKnown(test_time) || !isKnown(response_time)) return undefined;
  if (test_time > 0 && response_time <= 0)
    return { kind: "test-failed", testedAtSeconds: test_time };
  if (test_time <= 0 && used_quota === 0) return { kind: "never-tested" };
  return { kind: "works", testedAtSeconds: Math.max(0, test_time), responseMs: response_time };
}

/** True when a list shows a state that ends by itself, so that it must be refetched. */
export const hasTransientState = (channels: readonly ChannelHealthInput[]): boolean =>
  channels.some(
    ({ breaker = [], keys = [] }) => breaker.length > 0 || keys.some((key) => key.seconds_left > 0),
  );

/** Names a key by its last characters, or by its position when it is too short to show any. */
export const formatKeyName = ({ hint, place }: Pick<ChannelKey, "hint" | "place">): string =>
  hint !== "" ? `…${hint}` : Number.isNaN(place) ? missing : `#${place}`;

const hintsMax = 5;

/** Names the first few keys. */
export function formatKeyNames(keys: readonly ChannelKey[]): string {
  const shown = keys.slice(0, hintsMax).map(formatKeyName).join(", ");
  return keys.length > hintsMax ? `${shown}, … (${keys.length})` : shown;
}
