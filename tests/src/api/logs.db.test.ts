import { freezePrice } from "@tollgate/gateway/money/prices/price.ts";
import { buildEventRow } from "@tollgate/gateway/storage/event-row.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";
import { addSettledCall, waitForRollups } from "./seed-logs.ts";

const hour = 3_600_000;
const start = Date.UTC(2026, 10, 20, 12, 30);
const price = JSON.stringify(
  freezePrice(
    {
      rates: {
        input: 1_250_000n,
        cache_read: 125_000n,
        cache_write_5m: 1_250_000n,
        cache_write_1h: 1_250_000n,
        output: 10_000_000n,
      },
      source: "a page",
      source_date: "2026-11-01",
      verified: true,
      max_tokens: 0,
    },
    1_000_000,
  ),
);

describeVariants(testDatabases)("logs on $name", (database) => {
  let gateway: ManagementGateway;
  let admin: TestApiClient;
  let mira: TestApiClient;
  let noor: TestApiClient;
  let channel: { id: number; uuid: string };
  let token: { id: number; uuid: string };
  let ids: number[];

  beforeAll(async () => {
    gateway = await startManagementGateway(database, start);
    await gateway.addUser("ada", { role: 10 });
    const [one, two] = [await gateway.addUser("mira"), await gateway.addUser("noor")];
    [admin, mira, noor] = [
      await gateway.signIn("ada"),
      await gateway.signIn("mira"),
      await gateway.signIn("noor"),
    ];
    channel = (await admin("POST", "/api/channel/", { body: { name: "fresh", type: 1, key: "k" } }))
      .body.data[0];
    token = (await mira("POST", "/api/token/", { body: { name: "ci" } })).body.data;
    const through = {
      channel_id: channel.id,
      channel_name: "fresh",
      token_id: token.id,
      token_name: "ci",
    };
    ids = [
      await addSettledCall(gateway, one, start - 50 * hour, {
        ...{ ...through, quota: 100, content: "the oldest 100%" },
        tags: '{"counted":{"team":"search"},"others":{"env":"prod"}}',
      }),
      await addSettledCall(gateway, one, start - 3 * hour, {
        ...through,
        quota: 30,
        price,
        prompt_tokens: 1000,
        completion_tokens: 200,
        cached_prompt_tokens: 400,
      }),
      await addSettledCall(gateway, two, start - 2 * hour, {
        quota: 7,
        model_name: "large",
        outcome: "failed",
        elapsed_ms: 10,
      }),
      await addSettledCall(
        gateway,
        one,
        start - hour,
        { ...through, quota: 5, model_name: "large", cache_write_5m_tokens: 3 },
        {
          attempts: [
            {
              channel_id: channel.id,
              channel_uuid: channel.uuid,
              channel_name: "fresh",
              started_at: 1,
              ended_at: 2,
              status: 503,
              outcome: "failed",
              error: "busy",
            },
          ],
          candidates: [
            {
              channel_id: channel.id,
              channel_uuid: channel.uuid,
              channel_name: "fresh",
              taken: true,
              reason: "first",
            },
          ],
        },
      ),
    ];
    await waitForRollups(gateway, 4);
  });
  afterAll(() => gateway.close());

  const quotas = async (client: TestApiClient, path: string) => {
    const { body } = await client("GET", path);
    expect(body).toMatchObject({ success: true });
    return body.data.map(({ quota }: { quota: number }) => quota);
  };
  const seconds = (ms: number) => Math.floor(ms / 1000);

  test("newest first, with both families of ids and an explanation of the charge", async () => {
    const { body } = await admin("GET", "/api/log/?type=2");
    expect(body.total).toBe(4);
    const [newest, , priced] = body.data;
    expect(newest).toMatchObject({
      username: "mira",
      channel: channel.id,
      channel_uuid: channel.uuid,
      channel_name: "fresh",
      token_uuid: token.uuid,
      model_name: "large",
      created_at: seconds(start - hour),
      request_id: expect.stringMatching(/^\d{21}$/),
      trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      elapsed_time: 800,
      ttft: 90,
      is_stream: false,
      outcome: "success",
      price: null,
      metadata: { cache_write_tokens: { ephemeral_5m: 3, ephemeral_1h: 0 } },
    });
    expect(priced).toMatchObject({ cached_prompt_tokens: 400, cached_completion_tokens: 0 });
    expect(priced.price).toMatchObject({
      lines: [
        { bucket: "input", tokens: 600, price_per_million: "1.25", picodollars: "750000000" },
        { bucket: "cache_read", tokens: 400, price_per_million: "0.125", picodollars: "50000000" },
        { bucket: "output", tokens: 200, price_per_million: "10", picodollars: "2000000000" },
      ],
      group_ratio: "1",
      total_picodollars: "2800000000",
      quota: 1400,
      source: "a page",
      verified: true,
    });
  });

  test("users see their own, and nothing of channels", async () => {
    expect(await quotas(mira, "/api/log/self")).toEqual([5, 30, 100]);
    expect(await quotas(noor, "/api/log/self?username=mira")).toEqual([7]);
    const text = JSON.stringify((await mira("GET", "/api/log/self")).body);
    expect(text).not.toContain("fresh");
    expect(text).not.toContain(channel.uuid);
    expect((await mira("GET", "/api/log/")).status).toBe(403);
  });

  test.each([
    ["username=mira", [5, 30, 100]],
    ["username=MIRA", [5, 30, 100]],
    ["username=nobody", []],
    ["model_name=large", [5, 7]],
    ["model_name=LARGE", [5, 7]],
    ["username=noor&model_name=large", [7]],
    ["token_name=ci", [5, 30, 100]],
    ["token_name=Ci", [5, 30, 100]],
    ["token_name=c", []],
    [`start_timestamp=${seconds(start - 3 * hour)}`, [5, 7, 30]],
    [
      `start_timestamp=${seconds(start - 3 * hour)}&end_timestamp=${seconds(start - 2 * hour)}`,
      [7, 30],
    ],
    [`end_timestamp=${seconds(start - 3 * hour) - 1}`, [100]],
    ["order=asc", [100, 30, 7, 5]],
    ["sort=quota", [30, 7, 5]],
    ["sort_by=quota&sort_order=asc&items_per_page=2", [5, 7]],
    ["p=1&size=3", [100]],
    ["type=1", []],
  ])("filter %s", async (query, expected) => {
    // An odd order without a range looks at the last thirty days, which is all of them here.
    const wanted = query.startsWith("sort=quota") ? [100, ...expected] : expected;
    expect(
      await quotas(admin, `/api/log/?${query}${query.includes("type=") ? "" : "&type=2"}`),
    ).toEqual(wanted);
  });

  test("a channel filters by either id", async () => {
    for (const id of [channel.id, channel.uuid])
      expect(await quotas(admin, `/api/log/?channel=${id}&type=2`)).toEqual([5, 30, 100]);
    expect(await quotas(admin, "/api/log/?channel=999999")).toEqual([]);
    expect(await quotas(admin, "/api/log/?channel=0199aa10-0000-7000-8000-00000000ffff")).toEqual(
      [],
    );
  });

  test("a whole request id, trace id, uuid or id finds its row in any range, and only where it may be seen", async () => {
    const [row] = (await admin("GET", "/api/log/search?keyword=OLDEST")).body.data;
    const filters = `type=5&model_name=none&start_timestamp=${seconds(start)}&username=noor`;
    for (const keyword of [row.request_id, row.trace_id, row.uuid, `%23${row.id}`]) {
      expect(await quotas(admin, `/api/log/search?keyword=${keyword}&${filters}`), keyword).toEqual(
        [100],
      );
      expect(await quotas(mira, `/api/log/self/search?keyword=${keyword}`)).toEqual([100]);
      expect(await quotas(noor, `/api/log/self/search?keyword=${keyword}`)).toEqual([]);
    }
  });

  test("a filter of the family that is not known is refused, and any other parameter is named", async () => {
    const refused = await admin("GET", "/api/log/?upstream_request_id=x");
    expect([refused.status, refused.body.code]).toEqual([400, "filter_unknown"]);
    const { status, headers } = await admin("GET", "/api/log/?size=1&_=7");
    expect([status, headers.get("x-tollgate-ignored")]).toEqual([200, "_"]);
    const deletion = await admin("DELETE", "/api/log/?target_timestamp=1&model_name=m");
    expect([deletion.status, deletion.body.code]).toEqual([400, "filter_unknown"]);
  });

  test("searching finds literal text and refuses more than a month", {
    tags: ["F-62"],
  }, async () => {
    expect(await quotas(admin, "/api/log/search?keyword=OLDEST")).toEqual([100]);
    expect(await quotas(mira, "/api/log/self/search?keyword=100%25")).toEqual([100]);
    expect(await quotas(mira, "/api/log/self/search?keyword=%25%25")).toEqual([]);
    expect(await quotas(noor, "/api/log/self/search?keyword=oldest")).toEqual([]);
    const long = await admin(
      "GET",
      `/api/log/?sort=quota&start_timestamp=${seconds(start - 40 * 24 * hour)}`,
    );
    expect([long.status, long.body.code]).toEqual([400, "log_range_required"]);
  });

  test.each([
    ["", 142],
    ["username=mira", 135],
    ["group=default", 142],
    ["group=default&model_name=large", 12],
    ["group=nobody", 0],
    ["model_name=large", 12],
    ["model_name=Large", 12],
    ["username=mira&model_name=large", 5],
    ["token_name=ci", 135],
    ["token_name=CI", 135],
    [`start_timestamp=${seconds(start - 3 * hour)}`, 42],
    [`start_timestamp=${seconds(start - 3 * hour) + 1}`, 12],
    [`start_timestamp=${seconds(start - 3 * hour)}&end_timestamp=${seconds(start - hour) - 1}`, 37],
    [
      `username=mira&start_timestamp=${seconds(start - 3 * hour)}&end_timestamp=${seconds(start + hour)}`,
      35,
    ],
    ["type=5", 0],
  ])("statistics for '%s'", async (query, quota) => {
    expect((await admin("GET", `/api/log/stat?${query}`)).body.data).toEqual({ quota });
  });

  test("statistics by channel and of the user's own calls", async () => {
    expect((await admin("GET", `/api/log/stat?channel=${channel.uuid}`)).body.data).toEqual({
      quota: 135,
    });
    expect((await noor("GET", "/api/log/self/stat?username=mira")).body.data).toEqual({ quota: 7 });
  });

  const csv = async (client: TestApiClient, path: string) => {
    const { headers, body } = await client("GET", path);
    const lines: string[] = body.data.split("\r\n").slice(1, -1);
    return {
      headers,
      quotas: lines.map((line) => Number(line.split(",")[5])),
      text: lines.join("\n"),
    };
  };

  test("an export holds what the filter matches, with its count where that is known", async () => {
    const all = await csv(admin, "/api/log/export?type=2&time_zone=Asia/Kathmandu");
    expect(all.quotas).toEqual([5, 7, 30, 100]);
    expect(all.text).toContain("2026-11-20 17:15:00,Consume,large,ci,mira,5,");
    expect(Object.fromEntries(all.headers)).toMatchObject({
      "content-type": "text/csv; charset=utf-8",
      "content-disposition": 'attachment; filename="logs.csv"',
      "cache-control": "no-store",
      "x-total-count": "4",
    });
    const tagged = await csv(admin, "/api/log/export?type=2&time_zone=Asia/Kathmandu&with_tags=1");
    const tags = ["", "", "", '"team=search,env=prod"'];
    expect(tagged.text).toBe(
      all.text
        .split("\n")
        .map((line, place) => `${line},${tags[place]}`)
        .join("\n"),
    );
    const searched = await csv(admin, "/api/log/export?keyword=oldest");
    expect([searched.quotas, searched.headers.get("x-total-count")]).toEqual([[100], null]);
    expect((await csv(admin, `/api/log/export?channel=${channel.uuid}`)).quotas).toEqual([
      5, 30, 100,
    ]);
    expect((await csv(admin, "/api/log/export?channel=999999")).quotas).toEqual([]);
    expect((await csv(noor, "/api/log/self/export?username=mira")).quotas).toEqual([7]);
    expect((await mira("GET", "/api/log/export")).status).toBe(403);
    expect((await admin("GET", "/api/log/export?time_zone=Nowhere")).status).toBe(400);
  });

  test("an export ends when the session that requested it ends", async () => {
    const leaver = await gateway.addUser("leaver");
    const contentLength = 8_000;
    const [batchRows, batches] = [1_000, 5];
    for (let batch = 0; batch < batches; batch += 1) {
      const logFields = {
        type: 4,
        user_id: leaver.id,
        username: "leaver",
        quota: 0,
        content: "x".repeat(contentLength),
      };
      const rows = Array.from({ length: batchRows }, () =>
        buildEventRow({ id: gateway.db.mintId(), ...logFields }),
      );
      await gateway.db.write([{ query: gateway.db.sql.insertInto("logs").values(rows) }]);
    }
    const begin = async () => {
      const headers = { authorization: leaver.token };
      const response = await fetch(`${gateway.url}/api/log/self/export`, { headers });
      return response.body?.getReader();
    };
    const rest = async (reader: Awaited<ReturnType<typeof begin>>) => {
      let bytes = 0;
      for (;;) {
        const part = await reader?.read();
        if (!part || part.done) return bytes;
        bytes += part.value.length;
      }
    };
    const whole = await rest(await begin());
    expect(whole).toBeGreaterThan(batchRows * batches * contentLength);

    // Far more than all buffers on the way hold, so the remainder is read after the client is gone.
    const reader = await begin();
    await reader?.read();
    await gateway.setStatus(leaver.id, 2);
    await expect(rest(reader)).rejects.toThrow("terminated");
    await gateway.setStatus(leaver.id, 1);
    await gateway.db.write([
      { query: gateway.db.sql.deleteFrom("logs").where("user_id", "=", leaver.id) },
    ]);
  });

  test("the newest of the last minutes are listed without counting", async () => {
    gateway.clock.now = start - hour + 60_000;
    expect(await quotas(admin, "/api/log/tail")).toEqual([5]);
    expect(await quotas(admin, "/api/log/tail?model_name=small")).toEqual([]);
    expect(await quotas(admin, "/api/log/tail?channel=999999")).toEqual([]);
    expect(await quotas(mira, "/api/log/self/tail?token_name=ci&size=1")).toEqual([5]);
    expect(await quotas(noor, "/api/log/self/tail")).toEqual([]);
    expect((await mira("GET", "/api/log/tail")).status).toBe(403);
    gateway.clock.now = start;
  });

  test("a trace is for the owner and administrators, found by log or by its id", {
    tags: ["F-25"],
  }, async () => {
    const [log] = (await mira("GET", "/api/log/self")).body.data;
    for (const id of [log.id, log.uuid]) {
      const { body } = await admin("GET", `/api/trace/log/${id}`);
      expect(body.data).toMatchObject({
        trace_id: log.trace_id,
        url: "/v1/chat/completions",
        status: 200,
        durations: { processing_time: 40, total_time: 800 },
        log: { uuid: log.uuid, username: "mira", channel_uuid: channel.uuid, type: 2 },
        attempts: [{ channel_name: "fresh", status: 503, outcome: "failed", error: "busy" }],
        candidates: [{ taken: true, reason: "first" }],
      });
    }
    const own = (await mira("GET", `/api/trace/log/${log.id}`)).body.data;
    expect(own).toMatchObject({ attempts: [], candidates: [], log: { channel_uuid: null } });
    for (const id of [log.trace_id, log.uuid, log.request_id]) {
      const { body } = await mira("GET", `/api/trace/${id}`);
      expect(body.data).toMatchObject({ trace_id: log.trace_id, method: "POST" });
      expect(body.data).not.toHaveProperty("durations");
    }
    for (const path of [
      `/api/trace/log/${log.id}`,
      `/api/trace/${log.trace_id}`,
      "/api/trace/log/1",
      "/api/trace/ffff",
    ]) {
      const reply = await noor("GET", path);
      expect([reply.status, reply.body.code]).toEqual([200, "log_not_found"]);
    }
  });

  test("clearing removes old rows and traces, keeps the totals, and is on record", async () => {
    const before = seconds(start - 10 * hour);
    expect((await mira("DELETE", `/api/log/?target_timestamp=${before}`)).status).toBe(403);
    expect((await admin("DELETE", "/api/log")).status).toBe(400);
    const reply = await admin("DELETE", `/api/log?target_timestamp=${before}`);
    expect(reply.body.data).toBe(1);
    expect(await quotas(admin, "/api/log/?type=2")).toEqual([5, 7, 30]);
    expect((await admin("GET", `/api/trace/log/${ids[0]}`)).body.code).toBe("log_not_found");
    const traces = await gateway.db.read(gateway.db.sql.selectFrom("traces").select("id"));
    expect(traces.map(({ id }) => id).sort()).toEqual([...ids.slice(1)].sort());
    expect((await admin("GET", "/api/log/stat")).body.data).toEqual({ quota: 142 });
    const [system] = (await admin("GET", "/api/log/?type=4")).body.data;
    expect(system.content).toMatch(/^Deleted 1 log rows from before 2026-11-20T02:30:00/);
    const actions = await gateway.db.read(
      gateway.db.sql.selectFrom("audit_entries").select("action").orderBy("id"),
    );
    expect(actions.map(({ action }) => action).slice(-2)).toEqual(["log.clear", "log.cleared"]);
  });

  test("the dashboard adds up days, models, users and tokens from the roll-ups", async () => {
    const range = "from_date=2026-11-14&to_date=2026-11-20";
    const all = (await admin("GET", `/api/user/dashboard?${range}&user_id=all`)).body.data;
    expect(all.logs).toMatchObject([
      {
        Day: "2026-11-18",
        ModelName: "small",
        RequestCount: 1,
        Quota: 100,
        PromptTokens: 4,
        CompletionTokens: 6,
      },
      {
        Day: "2026-11-20",
        ModelName: "large",
        RequestCount: 2,
        Quota: 12,
        failures: 1,
        success_rate: 50,
        avg_latency_ms: 800,
      },
      {
        Day: "2026-11-20",
        ModelName: "small",
        Quota: 30,
        CachedPromptTokens: 400,
        CacheHitCount: 1,
        CacheHitQuota: 30,
        ttft_ms: 90,
      },
    ]);
    expect(all.logs[2].p95_latency_ms).toBeGreaterThan(500);
    expect(all.status).toBe("All Active");
    expect(all.used_quota).toBe(142);
    expect(all.user_logs).toMatchObject([
      { Day: "2026-11-18", Username: "mira", Quota: 100 },
      { Day: "2026-11-20", Username: "mira", Quota: 35, RequestCount: 2 },
      { Day: "2026-11-20", Username: "noor", Quota: 7, failures: 1 },
    ]);
    expect(all.token_logs).toMatchObject([
      { Day: "2026-11-18", TokenName: "ci", Username: "mira", Quota: 100 },
      { Day: "2026-11-20", TokenName: "ci", Quota: 35 },
    ]);

    const own = (await mira("GET", `/api/user/dashboard?${range}`)).body.data;
    expect(own.used_quota).toBe(135);
    expect(own.total_quota).toBe(3000 - 135);
    expect(own.status).toBe("Active");
    expect(new Set(own.user_logs.map(({ Username }: { Username: string }) => Username))).toEqual(
      new Set(["mira"]),
    );
    expect((await noor("GET", "/api/user/dashboard")).body.data).toMatchObject({
      used_quota: 7,
      logs: [{ Quota: 7 }],
    });
  });

  test("the dashboard's further figures: days, and for all users channels and hours", async () => {
    const range = "from_date=2026-11-14&to_date=2026-11-20";
    const all = (await admin("GET", `/api/user/dashboard/insight?${range}&user_id=all`)).body.data;
    expect(all.pace).toBeNull();
    expect(all.days).toMatchObject([
      { Day: "2026-11-18", RequestCount: 1, failures: 0, ttft_ms: 90 },
      { Day: "2026-11-20", RequestCount: 3, failures: 1, ttft_ms: 90 },
    ]);
    expect(all.days[0].p95_latency_ms).toBeGreaterThan(500);
    expect(all.channels).toMatchObject([
      { id: channel.id, name: "fresh", requests: 3, failures: 0, quota: 135 },
    ]);
    const calls = all.channels[0].hours.map(({ requests }: { requests: number }) => requests);
    expect([calls.length, calls.at(-4)]).toEqual([24, 1]);
    // 2026-11-18 10:30 was a Wednesday.
    expect(all.week[2][10]).toEqual({ requests: 1, failures: 0 });
    expect(
      all.week[4].reduce((sum: number, { requests }: { requests: number }) => sum + requests, 0),
    ).toBe(3);

    const own = (await mira("GET", `/api/user/dashboard/insight?${range}`)).body.data;
    expect(own).toMatchObject({ pace: null, channels: null, week: null });
    expect(own.days).toMatchObject([{ RequestCount: 1 }, { RequestCount: 2, failures: 0 }]);
    expect((await mira("GET", "/api/user/dashboard/insight?user_id=all")).status).toBe(403);
  });

  test("spending in steps of time: hours of a day, days of a week, and what one account may group by", async () => {
    const ask = async (of: typeof admin, query: string) =>
      (await of("GET", `/api/user/dashboard/spending?${query}`)).body.data;
    const week = "from_date=2026-11-14&to_date=2026-11-20";
    const day = "from_date=2026-11-20&to_date=2026-11-20";
    const sums = (reply: { series: { quota: number[] }[] }) =>
      reply.series.flatMap(({ quota }) => quota).reduce((sum, value) => sum + value, 0);
    const models = await ask(admin, `${week}&user_id=all`);
    expect([models.unit, sums(models)]).toEqual(["day", 142]);
    for (const by of ["user", "key", "channel"])
      expect(sums(await ask(admin, `${week}&user_id=all&by=${by}`))).toBe(142);
    const hours = await ask(admin, `${day}&user_id=all&by=channel`);
    expect([hours.unit, hours.series[0].quota.length, sums(hours)]).toEqual(["hour", 24, 42]);
    // Users have no roll-up by hour.
    expect((await ask(admin, `${day}&user_id=all&by=user`)).unit).toBe("day");

    const own = await ask(mira, `${day}&by=key`);
    expect(own).toMatchObject({ unit: "hour", series: [{ name: "ci", owner: "mira" }] });
    expect(own.series[0].quota.filter((value: number) => value > 0)).toEqual([30, 5]);
    expect(sums(await ask(mira, `${week}&by=key`))).toBe(135);
    expect((await ask(mira, week)).earlier).toBeNull();
    expect((await mira("GET", `/api/user/dashboard/spending?${day}&by=channel`)).status).toBe(400);
    expect((await mira("GET", "/api/user/dashboard/spending?user_id=all")).status).toBe(403);
  });

  test("an account's pace is the mean of its finished days", async () => {
    gateway.clock.now += 4 * 24 * hour;
    const later = await gateway.signIn("mira");
    // 35 units on the day on which the account was made, and nothing on the three after it.
    const { pace } = (await later("GET", "/api/user/dashboard/insight")).body.data;
    expect(pace).toEqual({ quota_per_day: 8.75, days: 4 });
    gateway.clock.now -= 4 * 24 * hour;
  });

  test("only administrators look at others' dashboards", async () => {
    const people = (await admin("GET", "/api/user/dashboard/users")).body.data;
    expect(people[0]).toMatchObject({ id: "all", uuid: "all" });
    const [first] = people.filter(({ username }: { username: string }) => username === "mira");
    for (const id of [first.id, first.uuid]) {
      expect((await admin("GET", `/api/user/dashboard?user_id=${id}`)).body.data.used_quota).toBe(
        135,
      );
      expect((await mira("GET", `/api/user/dashboard?user_id=${id}`)).body.data.used_quota).toBe(
        135,
      );
      expect((await noor("GET", `/api/user/dashboard?user_id=${id}`)).status).toBe(403);
    }
    expect((await noor("GET", "/api/user/dashboard?user_id=all")).status).toBe(403);
    expect((await noor("GET", "/api/user/dashboard/users")).status).toBe(403);
    expect((await admin("GET", "/api/user/dashboard?user_id=999999")).body.code).toBe(
      "user_not_found",
    );
    const far = await noor("GET", "/api/user/dashboard?from_date=2026-01-01&to_date=2026-01-02");
    expect([far.status, far.body.message]).toEqual([
      400,
      "From date cannot be more than 7 days ago",
    ]);
  });

  test("a sum of balances beyond JavaScript's safe integers is reported as the largest safe integer", async () => {
    // Administrators have a daily limit on what they issue; root has none.
    const root = await gateway.signIn("root");
    for (const name of ["rich", "richer"]) {
      const { id } = await gateway.addUser(name);
      const reply = await root("POST", "/api/topup", {
        body: { user_id: id, quota: 8_000_000_000_000_000 },
      });
      expect(reply.body).toMatchObject({ success: true });
    }
    const all = await admin("GET", "/api/user/dashboard?user_id=all");
    expect(all.body.data).toMatchObject({ total_quota: Number.MAX_SAFE_INTEGER, used_quota: 142 });
  });

  test("nothing went wrong inside", () => expect(gateway.problems).toEqual([]));
});
