import { beforeEach, expect, test } from "vitest";
import { type Counters, createMemoryCounters } from "../../limits/counters.ts";
import { type RelayRefusal, RelayRefused } from "../wire/relay-refusal.ts";
import {
  type Admission,
  type ApiKeyLimits,
  admit,
  admitTokenCount,
  admitWithinLimits,
  findLimits,
  limitRefusal,
} from "./token-limits.ts";

const none: ApiKeyLimits = { rpm_limit: 0, tpm_limit: 0, max_parallel_requests: 0 };
const minute = 60_000;
const personal = { userId: 3, limits: undefined, teamId: 0, team: undefined };

let time: number;
let counters: Counters;
let made: number;
beforeEach(() => {
  time = 1_000_000_000_000;
  made = 0;
  counters = createMemoryCounters(() => time);
});

const ask = (limits: Partial<ApiKeyLimits>, promptEstimate = 10, tokenId = 17) => {
  made += 1;
  return admit(
    {
      id: made,
      holder: { kind: "token", id: tokenId },
      limits: { ...none, ...limits },
      promptEstimate,
    },
    counters,
    () => time,
  );
};
/** `refusalOf` gives what the next call is refused with, or undefined; nothing stays of it. */
async function refusalOf(...asked: Parameters<typeof ask>): Promise<RelayRefusal | undefined> {
  try {
    const admission = await ask(...asked);
    admission.finish(0);
    return undefined;
  } catch (error) {
    if (error instanceof RelayRefused) return error.refusal;
    throw error;
  }
}

test("a key without limits has none at all", () => {
  expect(findLimits(none)).toBeUndefined();
  expect(findLimits({ ...none, tpm_limit: 5 })).toEqual({ ...none, tpm_limit: 5 });
});

test.each<Partial<ApiKeyLimits>>([
  { rpm_limit: 1 },
  { tpm_limit: 1 },
  { max_parallel_requests: 1 },
])("a key with %j has that one", (limit) =>
  expect(findLimits({ ...none, ...limit })).toEqual({ ...none, ...limit }),
);

test.each([
  [
    "calls",
    { rpm_limit: 2 },
    "requests",
    "The API key may make 2 calls per minute; try again in 60 s",
    60,
    "x-ratelimit-limit-requests,2,x-ratelimit-remaining-requests,0,x-ratelimit-reset-requests,60s",
  ],
  [
    "tokens",
    { tpm_limit: 20 },
    "tokens",
    "The API key may use 20 tokens per minute, this call about 10; try again in 60 s",
    60,
    "x-ratelimit-limit-tokens,20,x-ratelimit-reset-tokens,60s",
  ],
  [
    "calls at once",
    { max_parallel_requests: 2 },
    "requests",
    "The API key may make 2 calls at once; try again when one of them has ended",
    1,
    "",
  ],
])(
  "the third call is refused and told when to come back: %s",
  async (_, limits, type, message, retryAfter, headers) => {
    await ask(limits);
    await ask(limits);
    const { headers: told, ...refusal } = (await refusalOf(limits)) ?? {};
    expect(refusal).toEqual({
      status: 429,
      type,
      code: "rate_limit_exceeded",
      message,
      retryAfter,
    });
    expect(String(told)).toBe(headers);
    expect(await refusalOf(limits, 10, 18)).toBeUndefined();
  },
);

test("a prompt larger than the limit is refused without a time", async () => {
  const refusal = await refusalOf({ tpm_limit: 20 }, 21);
  expect(refusal).toMatchObject({
    status: 429,
    message: "The prompt has about 21 tokens; the API key may use 20 per minute",
  });
  expect(refusal).not.toHaveProperty("retryAfter");
});

test("calls count for a minute from their admission, however they end", async () => {
  const limits = { rpm_limit: 1 };
  const first = await ask(limits);
  first.finish(0);
  time += minute - 1;
  expect(await refusalOf(limits)).toMatchObject({ retryAfter: 1 });
  time += 1;
  expect(await refusalOf(limits)).toBeUndefined();
});

test.each([
  ["less than was estimated", 4],
  ["more than was estimated", 40],
  ["nothing", 0],
])("once a call has ended, the tokens count that it used: %s", async (_, used) => {
  const limits = { tpm_limit: 100 };
  const first = await ask(limits, 10);
  time += 5_000;
  first.finish(used);
  first.finish(99);
  const left = 100 - used;
  expect(await refusalOf(limits, left)).toBeUndefined();
  if (used > 0)
    expect(await refusalOf(limits, left + 1)).toMatchObject({ status: 429, type: "tokens" });
  time += 2 * minute;
  expect(await refusalOf(limits, 100)).toBeUndefined();
});

test("each token of a call that outlasts the minute counts once: the prompt at first, the rest when it is known", async () => {
  const limits = { tpm_limit: 100 };
  const long = await ask(limits, 10);
  time += 2 * minute;
  long.finish(60);
  expect(await refusalOf(limits, 51)).toMatchObject({ status: 429 });
  expect(await refusalOf(limits, 50)).toBeUndefined();
});

test("a slot is free as soon as its call has ended, and only once", async () => {
  const limits = { max_parallel_requests: 1 };
  const first = await ask(limits);
  time += 10 * minute;
  expect(await refusalOf(limits)).toMatchObject({ status: 429 });
  first.finish(0);
  const second = await ask(limits);
  first.finish(0);
  expect(await refusalOf(limits)).toMatchObject({ status: 429 });
  second.releaseSlot();
  const third = await ask(limits);
  second.finish(0);
  expect(await refusalOf(limits)).toMatchObject({ status: 429 });
  third.finish(0);
  expect(await refusalOf(limits)).toBeUndefined();
});

test.each([
  ["too many calls", { rpm_limit: 1 }, { type: "requests" }],
  ["too many tokens", { tpm_limit: 10 }, { type: "tokens" }],
])("a call that is refused for %s leaves no count behind", async (_, limits, refused) => {
  const others = { max_parallel_requests: 2, rpm_limit: 2, tpm_limit: 20 };
  await ask({ ...others, ...limits });
  for (let tries = 0; tries < 3; tries += 1)
    expect(await refusalOf({ ...others, ...limits })).toMatchObject(refused);
  expect(await refusalOf(others)).toBeUndefined();
});

test("a prompt that fills the whole minute is told when it fits", async () => {
  await ask({ tpm_limit: 20 }, 20);
  expect(await refusalOf({ tpm_limit: 20 }, 20)).toMatchObject({ retryAfter: 60 });
});

test("one call is called one", async () => {
  await ask({ rpm_limit: 1 });
  expect((await refusalOf({ rpm_limit: 1 }))?.message).toContain("may make 1 call per minute");
});

test("a prompt without a token counts as one", async () => {
  await ask({ tpm_limit: 1 }, 0);
  expect(await refusalOf({ tpm_limit: 1 }, 0)).toMatchObject({ status: 429 });
});

test("a slot is released once, and tokens are refunded where they are limited", async () => {
  const counted: string[] = [];
  const { release, refund } = counters;
  counters = {
    ...counters,
    release: (...place) => {
      counted.push("leave");
      return release(...place);
    },
    refund: (...window) => {
      counted.push("give");
      return refund(...window);
    },
  };
  for (const [limits, expected] of [
    [{ rpm_limit: 9 }, []],
    [{ max_parallel_requests: 1 }, ["leave"]],
    [{ tpm_limit: 1 }, ["give"]],
  ] as const) {
    counted.length = 0;
    const admission = await ask(limits, 1);
    admission.releaseSlot();
    admission.finish(1);
    expect(counted).toEqual(expected);
  }
});

test.each([
  [0, 1],
  [1, 1],
  [1_001, 2],
  [10_000_000, 10_000],
])("who has to wait for %i ms is told %i s", async (retryAfterMs, seconds) => {
  counters = { ...counters, take: async () => ({ allowed: false, retryAfterMs }) };
  expect(await refusalOf({ rpm_limit: 1 })).toMatchObject({ retryAfter: seconds });
});

test("of many concurrent calls exactly as many as allowed are admitted", async () => {
  for (const limits of [{ rpm_limit: 7 }, { tpm_limit: 70 }, { max_parallel_requests: 7 }]) {
    counters = createMemoryCounters(() => time);
    const asked = await Promise.allSettled(Array.from({ length: 50 }, () => ask(limits)));
    expect(asked.filter(({ status }) => status === "fulfilled")).toHaveLength(7);
  }
});

test("token counting has a limit of its own, equal to that of the key's calls", async () => {
  const counted = { ...personal, tokenId: 17, limits: { ...none, rpm_limit: 1 } };
  await ask({ ...none, rpm_limit: 1 });
  await admitTokenCount(counted, 0, counters);
  await expect(admitTokenCount(counted, 0, counters)).rejects.toBeInstanceOf(RelayRefused);
  await admitTokenCount({ ...counted, limits: undefined }, 0, counters);
});

test.each([{}, { rpm_limit: 1 }, { tpm_limit: 10 }, { max_parallel_requests: 1 }])(
  "with %j a forecast says what the next call is refused with, until the last moment, and counts nothing",
  async (limits) => {
    const holder = { kind: "token", id: 17 } as const;
    const forecast = async () =>
      (await limitRefusal({ holder, limits: { ...none, ...limits }, promptEstimate: 10 }, counters))
        ?.refusal;
    expect([await forecast(), await forecast()]).toEqual([undefined, undefined]);
    await ask(limits);
    time += minute - 1;
    const said = await forecast();
    expect(said === undefined).toBe(Object.keys(limits).length === 0);
    expect(await refusalOf(limits)).toEqual(said);
  },
);

test("a user who may count tokens once a minute counts them once", {
  tags: ["S2-20"],
}, async () => {
  const count = () => admitTokenCount({ ...personal, tokenId: 17 }, 1, counters);
  await count();
  await expect(count()).rejects.toMatchObject({
    refusal: { message: "A user may count tokens once per minute; try again in 60 s" },
  });
});

test("all keys of a user count tokens in one window", { tags: ["S2-20"] }, async () => {
  const counted = (userId: number, tokenId: number) =>
    admitTokenCount({ ...personal, userId, tokenId }, 2, counters);
  await counted(3, 17);
  await counted(3, 18);
  await expect(counted(3, 19)).rejects.toMatchObject({
    refusal: {
      status: 429,
      message: "A user may count tokens 2 times per minute; try again in 60 s",
    },
  });
  await counted(4, 20);
});

/** A call of a key of team 5, `Search`, both with limits. */
async function askInTeam(
  ofKey: Partial<ApiKeyLimits>,
  ofTeam: Partial<ApiKeyLimits>,
  tokenId = 17,
) {
  made += 1;
  const learned: { admission?: Admission } = {};
  const exchange = {
    id: made,
    learn: (found: { admission: Admission }) => void Object.assign(learned, found),
  };
  const limitsOf = (some: Partial<ApiKeyLimits>) => findLimits({ ...none, ...some });
  const caller = {
    tokenId,
    limits: limitsOf(ofKey),
    teamId: 5,
    team: { name: "Search", limits: limitsOf(ofTeam) },
  };
  await admitWithinLimits(exchange, caller, 10, { counters, now: () => time });
  return learned.admission;
}

test.each<[Partial<ApiKeyLimits>, string]>([
  [
    { rpm_limit: 2 },
    'The keys of the team "Search" together may make 2 calls per minute; try again in 60 s',
  ],
  [
    { tpm_limit: 20 },
    'The keys of the team "Search" together may use 20 tokens per minute, this call about 10',
  ],
  [{ max_parallel_requests: 2 }, 'The keys of the team "Search" together may make 2 calls at once'],
])("all keys of a team count for %j of the team", async (ofTeam, words) => {
  await askInTeam({}, ofTeam, 17);
  await askInTeam({}, ofTeam, 18);
  const refused = await askInTeam({}, ofTeam, 19).catch((error: unknown) => error);
  expect(refused).toMatchObject({
    refusal: { status: 429, message: expect.stringContaining(words) },
  });
});

test("what the team refuses counts for nothing of the key, whichever of its limits it is", async () => {
  const key = { rpm_limit: 2, tpm_limit: 20, max_parallel_requests: 2 };
  const first = await askInTeam(key, { max_parallel_requests: 1 });
  for (let times = 0; times < 5; times += 1)
    await expect(askInTeam(key, { max_parallel_requests: 1 })).rejects.toBeInstanceOf(RelayRefused);
  first?.finish(10);
  const second = await askInTeam(key, { max_parallel_requests: 1 });
  second?.finish(10);
  await expect(askInTeam(key, {})).rejects.toMatchObject({
    refusal: { message: "The API key may make 2 calls per minute; try again in 60 s" },
  });
});

test("a client is told of the limit that leaves least, and without any of none", async () => {
  const both = await askInTeam({ rpm_limit: 9, tpm_limit: 30 }, { rpm_limit: 4, tpm_limit: 300 });
  expect(both?.used).toMatchObject([
    { unit: "requests", limit: 4, left: 3 },
    { unit: "tokens", limit: 30, left: 20 },
  ]);
  expect(await askInTeam({}, {})).toBeUndefined();
});

test("the services of a team count tokens in a window of their own", async () => {
  const count = (teamId: number) =>
    admitTokenCount(
      { ...personal, userId: 0, tokenId: 17, teamId, team: { name: "t", limits: undefined } },
      1,
      counters,
    );
  await count(5);
  await count(6);
  await expect(count(5)).rejects.toBeInstanceOf(RelayRefused);
});
