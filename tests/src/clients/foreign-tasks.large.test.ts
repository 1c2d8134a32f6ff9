/**
 * What programs do with the official libraries beside asking once: pictures, further turns,
 * leaving, timeouts, retries, errors, counts and vectors, straight at a scripted provider and
 * through the gateway.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type ConversationEndpoint,
  conversationEndpoints,
} from "../conformance/conversation-scenario.ts";
import {
  type DrivingCommand,
  drive,
  type ForeignClient,
  type ForeignJob,
  type LibraryDriveReply,
} from "./foreign-clients.ts";
import { foreignLanguages } from "./foreign-languages.ts";
import {
  type ClientTask,
  clientTasks,
  taskModel,
  taskModels,
  taskTestName,
} from "./foreign-tasks.ts";
import { type PlayedGateway, playedModel, startPlayedGateway } from "./played-provider.ts";
import {
  checkTask,
  type LoggedEnd,
  sameRequest,
  sameToPrograms,
  type TaskOutcome,
} from "./task-checks.ts";
import { createTaskProvider } from "./task-provider.ts";

/** Packages are fetched, and Go's are compiled, once on a machine. */
const installWithinMs = 900_000;
const isEverything = process.env.CLIENTS === "all";

const provider = createTaskProvider();
let world: PlayedGateway;
beforeAll(async () => {
  world = await startPlayedGateway(taskModels, provider.answer);
}, 120_000);
afterAll(async () => {
  expect(await world.gateway.audit()).toBe("The books agree.");
  await world.close();
});

interface TaskCase {
  client: ForeignClient;
  task: ClientTask;
  spoken: ConversationEndpoint;
  stream: boolean;
}

/**
 * Asks for one case after the other, and returns what each program read and what the provider was
 * asked for it.
 */
async function run(
  command: DrivingCommand,
  cases: readonly TaskCase[],
  { url, key }: { url: string; key: string },
): Promise<Omit<TaskOutcome, "logged">[]> {
  const { upstream } = world;
  upstream.play();
  const jobs = cases.map(({ client, task, spoken, stream }): ForeignJob => {
    const model = playedModel(taskModel(task, stream), spoken);
    const signal = `${upstream.url}${provider.signalPath}/${model}`;
    return { client: client.name, url, key, model, stream, does: task.does, signal };
  });
  provider.begin();
  const replies = await drive(command, jobs);
  const calls = upstream.requests.filter((asked) => !asked.url.startsWith(provider.signalPath));
  // Calls of clients that left end at the provider too.
  await Promise.all(calls.map(({ closed }) => closed));
  return jobs.map(({ model }, at) => ({
    model,
    reply: replies[at] as LibraryDriveReply,
    asked: calls.filter(
      ({ url: path, body }) => body?.model === model || decodeURIComponent(path).includes(model),
    ),
  }));
}

/** The ends of the calls that came after this one, by their models. */
async function endsAfter(lastId: number): Promise<LoggedEnd[]> {
  await world.gateway.settled();
  return await world.gateway.rows<LoggedEnd>(
    `select id, origin_model_name as model, outcome, completion_tokens, quota from logs where type = 2 and id > ${lastId} order by id`,
  );
}

const driven = foreignLanguages.filter(
  ({ installTasks, isAlwaysDriven = false }) => installTasks && (isEverything || isAlwaysDriven),
);

describe.each(driven)("$name", (language) => {
  const possible = language.availability();
  const reason = possible.available ? "" : ` (${possible.reason})`;
  const [first] = language.clients;

  describe.skipIf(!possible.available).each(isEverything ? language.clients : [first])(
    `$name${reason}`,
    (client) => {
      let command: DrivingCommand;
      beforeAll(async () => {
        if (language.installTasks) command = await language.installTasks();
      }, installWithinMs);

      const offered = clientTasks.filter(({ entries = conversationEndpoints }) =>
        entries.includes(client.entry),
      );
      test.each(offered.map((task) => ({ task, name: taskTestName(task) })))(
        "$name",
        async ({ task }) => {
          const over = conversationEndpoints.filter(
            (spoken) => spoken === client.entry || (task.over?.includes(spoken) ?? true),
          );
          const cases = over.flatMap((spoken) =>
            task.streams.map((stream) => ({ client, task, spoken, stream })),
          );
          const [last] = await world.gateway.rows<{ id: number | null }>(
            "select max(id) as id from logs",
          );
          const through = await run(command, cases, { url: world.gateway.url, key: world.key });
          const ends = await endsAfter(last?.id ?? 0);
          const own = cases.filter(({ spoken }) => spoken === client.entry);
          const straight = await run(command, own, { url: world.upstream.url, key: "k-client" });

          const different = cases.flatMap((one, at) => {
            const found = through[at];
            if (!found) return ["no reply"];
            const outcome: TaskOutcome = {
              ...found,
              logged: ends.filter(({ model }) => model === found.model),
            };
            const twin = one.spoken === client.entry ? straight[own.indexOf(one)] : undefined;
            try {
              checkTask(one, outcome);
              if (twin) {
                expect(sameToPrograms(task, outcome.reply)).toEqual(
                  sameToPrograms(task, twin.reply),
                );
                expect(outcome.asked.map(sameRequest)).toEqual(twin.asked.map(sameRequest));
              }
              return [];
            } catch (cause) {
              const heard = JSON.stringify({ ...outcome.reply, dump: undefined });
              const atProvider = twin
                ? `, straight ${JSON.stringify({ ...twin.reply, dump: undefined })}`
                : "";
              const logged = JSON.stringify(outcome.logged);
              return [
                `${found.model}: ${heard}${atProvider}, logged ${logged}: ${(cause as Error).message}`,
              ];
            }
          });
          expect(different).toEqual([]);
        },
      );
    },
  );
});
