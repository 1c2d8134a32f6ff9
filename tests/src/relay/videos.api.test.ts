// Videos that a provider makes after its response: what is checked before, held meanwhile and
// charged once at the end.
import { createBudget, deleteBudget, getBudget } from "@tollgate/contract/accounts/budgets.ts";
import OpenAI, { toFile } from "openai";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { databaseKinds } from "../harness/gateway-database.ts";
import type { TestGateway } from "../harness/test-gateway.ts";
import { openAiFailure as failure } from "../support/openai-failure.ts";
import { startTaskGateway, type TaskGateway } from "../support/task-gateway.ts";
import { describeVariants } from "../support/variants.ts";

/**
 * Ten cents for a second of 720p and thirty for a second of 1024p, at 500,000 units for a dollar.
 */
const prices = {
  video: {
    per_second_usd: 0.1,
    base_resolution: "1280x720",
    resolution_multipliers: { "1280x720": 1, "1792x1024": 3 },
  },
};
const second = 50_000;

describeVariants(databaseKinds)("videos on %s", (store) => {
  let tasks: TaskGateway<OpenAI>;
  let gateway: TestGateway;
  let ann: OpenAI;
  let bob: OpenAI;
  let poor: OpenAI;
  const key = "sim-as-videos";

  beforeAll(async () => {
    tasks = await startTaskGateway({
      store,
      key,
      channel: { models: "m,unpriced", model_configs: JSON.stringify({ m: prices }) },
      basePath: "/v1",
      connect: (connection) => new OpenAI(connection),
    });
    ({ gateway, ann, bob, poor } = tasks);
  });
  afterAll(() => tasks.close());
  beforeEach(() => gateway.simulator.script(key, {}));

  const prompt = "a toll booth in the snow";
  const create = (more: object = {}, client = ann) =>
    client.videos.create({ model: "m", prompt, ...more } as never);
  /** The video once it has ended: the gateway asks its provider after five seconds. */
  const ended = async (id: string, client = ann) => {
    await expect
      .poll(async () => (await client.videos.retrieve(id)).status, {
        timeout: 30_000,
        interval: 250,
      })
      .toMatch(/completed|failed/);
    return client.videos.retrieve(id);
  };
  const toldProvider = async () =>
    (await gateway.simulator.calls()).filter(
      ({ method, path }) => method === "POST" && path.startsWith("/v1/videos"),
    );

  test("a video is held while it is made, also through a kill, charged once, read, remixed and deleted", {
    tags: ["VI-01"],
    timeout: 90_000,
  }, async () => {
    const before = await tasks.charged();
    const video = await create({ seconds: "8", size: "1792x1024" });
    expect(video).toMatchObject({
      object: "video",
      model: "m",
      status: "queued",
      seconds: "8",
      size: "1792x1024",
    });
    // The provider's id opens what it keeps for all users of its account.
    expect(video.id).toMatch(/^video_[0-9a-f]{32}$/);
    expect(await tasks.holds()).toEqual([8 * 3 * second]);
    expect(await failure(() => ann.videos.downloadContent(video.id))).toMatchObject({
      code: "video_not_ready",
    });
    expect(await failure(() => ann.videos.delete(video.id))).toMatchObject({
      code: "video_not_ready",
    });
    await tasks.kill();
    expect((await ann.videos.list()).data.map(({ id }) => id)).toEqual([video.id]);
    expect(await tasks.holds()).toEqual([8 * 3 * second]);
    expect(await ended(video.id)).toMatchObject({
      status: "completed",
      progress: 100,
      seconds: "8",
      error: null,
    });
    expect(await tasks.charged()).toBe(before + 8 * 3 * second);
    expect(await tasks.holds()).toEqual([]);
    expect(await tasks.lastRow()).toMatchObject({
      model_name: "m",
      outcome: "success",
      content: "video of 8 s, 1792x1024",
    });
    const content = await ann.videos.downloadContent(video.id);
    expect([content.headers.get("content-type"), await content.text()]).toEqual([
      "video/mp4",
      expect.stringMatching(/^bytes of video_sim/),
    ]);
    const thumbnail = await ann.videos.downloadContent(video.id, { variant: "thumbnail" });
    expect(thumbnail.headers.get("content-type")).toBe("image/webp");

    const remix = await ann.videos.remix(video.id, { prompt: "and a dog" });
    expect(remix).toMatchObject({
      remixed_from_video_id: video.id,
      seconds: "8",
      size: "1792x1024",
    });
    expect(await tasks.holds()).toEqual([8 * 3 * second]);
    await ended(remix.id);
    expect(await tasks.charged()).toBe(before + 2 * 8 * 3 * second);
    expect((await ann.videos.list({ order: "asc", limit: 1 })).data.map(({ id }) => id)).toEqual([
      video.id,
    ]);

    expect(await ann.videos.delete(video.id)).toEqual({
      id: video.id,
      object: "video.deleted",
      deleted: true,
    });
    expect(await failure(() => ann.videos.retrieve(video.id))).toMatchObject({ status: 404 });
    expect(await tasks.charged()).toBe(before + 2 * 8 * 3 * second);
  });

  test("the budget of its channel is held while a video is made, and refuses one that no channel's budget covers", async () => {
    const root = await gateway.root();
    const [channel] = await gateway.rows<{ id: number }>("select id from channels order by id");
    const account = {
      name: "account",
      subject: "channel",
      subject_id: channel?.id ?? 0,
      window: "lifetime",
    } as const;
    const { id } = (await root.call(createBudget, { body: { ...account, amount: 5 * second } }))
      .data;
    const spent = async () => {
      const { data } = await root.call(getBudget, { params: { id } });
      return [data.spent, data.held];
    };
    const size = "1280x720";
    const video = await create({ seconds: "4", size });
    expect(await spent()).toEqual([0, 4 * second]);
    expect(await failure(() => create({ seconds: "4", size }))).toMatchObject({ status: 503 });
    await ended(video.id);
    expect(await spent()).toEqual([4 * second, 0]);
    await root.call(deleteBudget, { params: { id } });
  }, 60_000);

  test("the charge is what the provider made, and a video that failed costs nothing", {
    tags: ["VI-01"],
    timeout: 90_000,
  }, async () => {
    const before = await tasks.charged();
    const cases = [
      [{ videoMade: { seconds: "4" } }, { seconds: "8" }, "completed", 4 * second],
      [{ videoMade: { seconds: "12" } }, { seconds: "8" }, "completed", 12 * second],
      [
        { videoMade: { size: "640x480" } },
        { seconds: "4", size: "1280x720" },
        "completed",
        4 * second,
      ],
      [
        { videoMade: { size: "1024x1792" } },
        { seconds: "4", size: "1280x720" },
        "completed",
        12 * second,
      ],
      [{ videoEnd: "failed" }, { seconds: "8" }, "failed", 0],
    ] as const;
    const made = await Promise.all(
      cases.map(async ([script, more], index) => {
        const [model, scripted] = [`case-${index}`, `sim-as-video-case-${index}`];
        const model_configs = JSON.stringify({ [model]: prices });
        const config = '{"may_report_false_usage":false}';
        await gateway.given.channel({ key: scripted, models: model, config, model_configs });
        await gateway.simulator.script(scripted, script);
        return ended((await create({ model, ...more }, bob)).id, bob);
      }),
    );
    expect(made.map(({ status }) => status)).toEqual(cases.map(([, , status]) => status));
    const rows = await gateway.rows<Record<string, unknown>>(
      "select * from logs where model_name like 'case-%' order by model_name",
    );
    expect(rows.map(({ quota, outcome }) => [Number(quota), outcome])).toEqual(
      cases.map(([, , status, units]) => [units, status === "failed" ? "failed" : "success"]),
    );
    expect(await tasks.charged()).toBe(
      before + cases.reduce((sum, [, , , units]) => sum + units, 0),
    );
    expect(await tasks.holds()).toEqual([]);
    const failed = made.at(-1);
    expect(failed?.error?.code).toBe("moderation_blocked");
    expect(await failure(() => bob.videos.downloadContent(failed?.id ?? ""))).toMatchObject({
      code: "video_failed",
    });
  });

  test("a picture comes along in a form, and no provider is told of a length that is sent twice", {
    tags: ["large"],
    timeout: 30_000,
  }, async () => {
    const input_reference = await toFile(Buffer.from("pixels"), "first.png", { type: "image/png" });
    const video = await create({ seconds: "4", input_reference });
    expect(await tasks.holds()).toEqual([4 * 3 * second]);
    await ended(video.id);
    const twice = `{"model":"m","prompt":"x","seconds":"12","seconds":"4","size":"1280x720"}`;
    const headers = { authorization: `Bearer ${ann.apiKey}`, "content-type": "application/json" };
    const told = (await toldProvider()).length;
    const sent = await fetch(`${gateway.url}/v1/videos`, { method: "POST", headers, body: twice });
    expect(sent.status).toBe(400);
    expect(await toldProvider()).toHaveLength(told);
  });

  test("a video of another user answers like one that never existed", {
    tags: ["S2-12"],
    timeout: 30_000,
  }, async () => {
    const { id } = await create({ seconds: "4" });
    await ended(id);
    const { videos } = bob;
    const never = `video_${"0".repeat(32)}`;
    for (const act of [
      (one: string) => videos.retrieve(one),
      (one: string) => videos.delete(one),
      (one: string) => videos.downloadContent(one),
      (one: string) => videos.remix(one, { prompt }),
      (one: string) => videos.list({ after: one }).then(({ data }) => data),
    ]) {
      const foreign = await failure(() => act(id));
      expect(foreign.status).toBeGreaterThanOrEqual(400);
      expect(foreign).toEqual(await failure(() => act(never)));
    }
    expect((await bob.videos.list({ limit: 100 })).data.map((one) => one.id)).not.toContain(id);
    expect((await ann.videos.retrieve(id)).status).toBe("completed");
  });

  test("nothing is held and no provider is told of a video that is wrong, not priced or not paid for", {
    tags: ["VI-02"],
  }, async () => {
    await gateway.simulator.script(key, {});
    const before = (await toldProvider()).length;
    for (const [more, client, expected] of [
      [{ prompt: "" }, ann, { status: 400, code: "invalid_video_request" }],
      [{ seconds: "0" }, ann, { status: 400, code: "invalid_video_request" }],
      [{ seconds: "9999" }, ann, { status: 400, code: "invalid_video_request" }],
      [{ seconds: "four" }, ann, { status: 400, code: "invalid_video_request" }],
      [
        { input_reference: { file_id: "file-1" } },
        ann,
        { status: 400, code: "invalid_video_request" },
      ],
      [{ duration: 60 }, ann, { status: 400, code: "invalid_video_request" }],
      [{ model: "unpriced" }, bob, { status: 400, code: "video_not_priced" }],
      [{ model: "unpriced" }, ann, { status: 403 }],
      [{ model: "nowhere" }, bob, { status: 404 }],
      [{ seconds: "4" }, poor, { status: 403, code: "insufficient_user_quota" }],
    ] as const)
      expect(await failure(() => create(more, client))).toMatchObject(expected);
    expect(await tasks.holds()).toEqual([]);
    expect((await toldProvider()).length).toBe(before);
    expect(await gateway.rows("select id from video_tasks where state = 'creating'")).toEqual([]);
  });

  test("a channel whose provider makes no videos by this API answers with the reason", async () => {
    await gateway.given.channel({ key: "sim-as-no-videos", models: "text-alone", type: 14 });
    expect(await failure(() => create({ model: "text-alone" }, bob))).toMatchObject({
      status: 501,
      code: "api_not_implemented",
      message: expect.stringContaining("makes videos by OpenAI's API"),
    });
  });

  test("a refusal of the provider reaches the client and costs nothing, and a lost answer is not asked for again", async () => {
    const before = await tasks.charged();
    await gateway.simulator.script(key, {
      fail: { status: 400, message: "No such size.", code: "bad_size" },
    });
    expect(await failure(() => create({ seconds: "4" }))).toMatchObject({
      status: 400,
      code: "bad_size",
    });
    for (const script of [{ videoLost: true }, { fail: { status: 500 } }, { malformed: true }]) {
      await gateway.simulator.script(key, script);
      expect(await failure(() => create({ seconds: "4" }))).toMatchObject({
        status: 502,
        code: "video_outcome_unknown",
      });
    }
    // The row is written once the client has its answer.
    await expect.poll(tasks.holds).toEqual([]);
    expect(await tasks.charged()).toBe(before);
    await expect
      .poll(() => gateway.rows("select id from video_tasks where state = 'creating'"))
      .toEqual([]);
    expect(await tasks.lastRow()).toMatchObject({ outcome: "failed", quota: 0 });
  });

  test("another channel is asked only where the first one certainly does not make the video", {
    tags: ["large"],
    timeout: 30_000,
  }, async () => {
    for (const [model, status] of [
      ["again", 429],
      ["never", 500],
    ] as const) {
      const model_configs = JSON.stringify({ [model]: prices });
      const spare = `sim-as-spare-for-${model}`;
      await gateway.given.channel({
        key: `sim-${status}`,
        models: model,
        priority: 1,
        model_configs,
      });
      await gateway.given.channel({ key: spare, models: model, model_configs });
      const asked = create({ model, seconds: "4" }, bob);
      if (status === 429) await ended((await asked).id, bob);
      else expect(await failure(() => asked)).toMatchObject({ code: "video_outcome_unknown" });
      expect((await toldProvider()).filter((call) => call.key === spare)).toHaveLength(
        status === 429 ? 1 : 0,
      );
    }
    await expect.poll(tasks.holds).toEqual([]);
  });
});
