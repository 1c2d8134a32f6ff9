// The rooms of the relay and which may import values of which. Types do not count here: every room
// knows the types of the calls that pass through it.

/**
 * `floors` come from the story of a call down to the bytes on the wire; rooms side by side in a
 * line do not import each other.
 */
const floors: readonly (readonly string[])[] = [
  ["relay-routes.ts", "response-socket"],
  ["object-endpoints.ts"],
  ["batches", "kept-objects", "mcp", "videos"],
  ["stored-files"],
  ["creations"],
  ["relay.ts", "call-forecast.ts", "hold-fixed.ts", "realtime", "endpoints"],
  ["serve-call.ts", "refuse-unpaid.ts", "arriving-messages.ts"],
  ["deliver-answer.ts", "admit-call.ts", "shadow"],
  ["plan-attempt.ts", "hold-within-budgets.ts"],
  ["try-channels.ts"],
  ["call-refusals.ts", "route-call.ts", "settle-call.ts", "channel-entry.ts", "wanted-hold.ts"],
  [
    "answer",
    "call-recorder.ts",
    "call-rows.ts",
    "task-trace.ts",
    "refused-calls.ts",
    "failed-tries.ts",
    "entry-address.ts",
    "read-request.ts",
    "exchange.ts",
    "call-bodies",
    "relay-settings.ts",
  ],
  ["call-charge.ts", "read-body.ts", "answer-recorder.ts", "answer-headers.ts"],
  ["routing", "upstream", "stored-responses", "provider-states", "guards", "cached-answers"],
  ["providers"],
  ["translations"],
  ["value-rules"],
  ["formats"],
  ["admission", "counting"],
  ["runs"],
  ["wire"],
];

const floorOf = new Map(
  floors.flatMap((rooms, floor) => rooms.map((room) => [room, floor] as const)),
);

/**
 * `from` and `to` are folders or files of gateway/src/relay; undefined where the import is allowed.
 */
export function wrongBetweenRooms(from: string, to: string): string | undefined {
  if (from === to) return undefined;
  const [fromFloor, toFloor] = [floorOf.get(from), floorOf.get(to)];
  if (fromFloor === undefined)
    return `${from} is no room of the relay yet: give it a place in scripts/relay-rooms.ts`;
  if (toFloor === undefined)
    return `${to} is no room of the relay yet: give it a place in scripts/relay-rooms.ts`;
  if (fromFloor < toFloor) return undefined;
  const order = floors.slice(toFloor, fromFloor + 1).map((rooms) => rooms.map(nameOf).join(" · "));
  return `${order.join(" → ")}: ${nameOf(from)} never imports values of ${nameOf(to)}`;
}

const nameOf = (room: string): string => room.replace(/\.ts$/, "");
