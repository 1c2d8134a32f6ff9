// F-53: every call meets one, two or three failing channels, and is charged for the one that
// answers.
import { eventually } from "@tollgate/tests/harness/eventually.ts";
import { defaultCharge, readEvents } from "@tollgate/tests/harness/test-gateway.ts";
import { startCannedProvider } from "@tollgate/tests/relay/canned-provider.ts";
import type { RunGateway } from "../runs/run-gateway.ts";
import { difference, type Race, retryingCaller, withRaceGateway } from "./race-support.ts";

const failures = [1, 2, 3] as const;
const modelOf = (failing: number): string => `fails-${failing}`;
const arrivedWithinMs = 110_000;
/** The first channel's failures in rotation: different refusals, or a broken connection. */
const firstRefusals = [500, 503, 429, undefined] as const;

export const retryRace: Race = async (options, count) => {
  const canned = await startCannedProvider();
  try {
    return await withRaceGateway(options, { upstreams: [canned.url] }, async (gateway) => {
      const { given } = gateway.world;
      // A channel that has just failed is tried last, so no channel fails before every call has
      // chosen its channels.
      const all = Promise.withResolvers<void>();
      let arrived = 0;
      canned.answer = async (response) => {
        const status = firstRefusals[arrived % firstRefusals.length];
        arrived += 1;
        await all.promise;
        if (status === undefined) response.destroy();
        else
          response
            .writeHead(status, { "content-type": "application/json" })
            .end('{"error":{"message":"no"}}');
      };
      const models = (least: number) =>
        failures
          .filter((failing) => failing >= least)
          .map(modelOf)
          .join(",");
      const first = await given.channel({
        key: "canned",
        base_url: canned.url,
        models: models(1),
        priority: 40,
      });
      const second = await given.channel({ key: "sim-fail-503", models: models(2), priority: 30 });
      const third = await given.channel({ key: "sim-cut-0", models: models(3), priority: 20 });
      const healthy = await given.channel({ key: "sim-ok", models: models(1), priority: 10 });
      const { key } = await given.token();
      const retrying = retryingCaller(gateway);

      const running = Array.from({ length: count }, async (_, n) => {
        const model = modelOf(failures[n % failures.length] ?? 1);
        const response = await retrying.call(key, { model, stream: n % 2 === 0 });
        const text = await response.text();
        const isWhole =
          n % 2 === 0 ? readEvents(text).events.at(-1) === "[DONE]" : response.status === 200;
        return isWhole
          ? []
          : [`a call of ${model} was answered ${response.status} ${text.slice(0, 200)}`];
      });
      try {
        await eventually(
          () => {
            if (arrived < count)
              throw new Error(`${arrived} calls of ${count} are with the first channel`);
          },
          { timeoutMs: arrivedWithinMs },
        );
      } finally {
        all.resolve();
      }
      const problems = (await Promise.all(running)).flat();
      await gateway.world.settled();
      const failing = [first, second, third].map(({ id }) => id);
      const seen = await attemptsOf(gateway);
      for (const { id, model, attempts } of seen) {
        const expected = [
          ...failing.slice(0, Number(model.at(-1))).map((one) => `${one} failed`),
          `${healthy.id} success`,
        ];
        problems.push(
          ...difference(`attempts of call ${id}`, attempts.join(", "), expected.join(", ")),
        );
      }
      const books = await gateway.world.books();
      const failed = seen.reduce((sum, { attempts }) => sum + attempts.length - 1, 0);
      problems.push(
        ...difference("calls with a trace", seen.length, count),
        ...difference("rows of success", books.succeeded, count),
        ...difference("charged", books.charged, count * defaultCharge),
        ...(await wronglyCharged(gateway, count)),
      );
      return {
        size: count,
        figures: `${count} calls at once with ${failed} failed attempts before their answers: ${books.charged / defaultCharge} charges, none twice, failed attempts 0${retrying.told()}`,
        problems,
      };
    });
  } finally {
    await canned.close();
  }
};

async function attemptsOf(
  gateway: RunGateway,
): Promise<{ id: number; model: string; attempts: string[] }[]> {
  const rows = await gateway.rows<{ id: number; model: string; data: string }>(
    "select traces.id, logs.origin_model_name as model, traces.data from traces join logs on logs.id = traces.id where logs.type = 2",
  );
  return rows.map(({ id, model, data }) => {
    const { attempts } = JSON.parse(data) as {
      attempts: { channel_id: number; outcome: string }[];
    };
    return {
      id: Number(id),
      model,
      attempts: attempts.map(({ channel_id, outcome }) => `${channel_id} ${outcome}`),
    };
  });
}

async function wronglyCharged(gateway: RunGateway, count: number): Promise<string[]> {
  const [row] = await gateway.rows<{ calls: number; most: number; least: number }>(
    "select count(distinct billing_id) as calls, max(amount) as most, min(amount) as least from ledger where kind = 'charge'",
  );
  return [
    ...difference("calls charged", Number(row?.calls), count),
    ...difference("the dearest charge", Number(row?.most), defaultCharge),
    ...difference("the cheapest charge", Number(row?.least), defaultCharge),
  ];
}
