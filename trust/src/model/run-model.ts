// Many runs of the model on one gateway: each is a random story, compared after every step; books
// are proved now and then.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "@tollgate/tests/harness/eventually.ts";
import fc from "fast-check";
import { findBookErrors } from "../runs/check-books.ts";
import { findViewErrors } from "../runs/check-views.ts";
import { type RunGatewayOptions, startRunGateway } from "../runs/run-gateway.ts";
import { startToolServer } from "../runs/task-providers.ts";
import { stories as tellStories } from "./all-model-commands.ts";
import { createModelGateway } from "./model-gateway.ts";

export interface ModelStories {
  seed: number;
  /** The path of one failed story within the seed. */
  path?: string;
  runs: number;
}

export interface ModelRunOptions extends RunGatewayOptions {
  /** Run one after the other on one gateway. */
  stories: readonly ModelStories[];
  /** The weight of crashes; all commands together weigh a thousand and more. */
  crashes?: number;
  /** Stories between two proofs of all books. */
  booksEvery?: number;
}

export interface ModelFigures {
  /** fast-check's description of the failed story and its error; empty when none failed. */
  problem: string;
  runs: number;
  commands: number;
  calls: number;
  /** Videos, batches and calls of tools among them. */
  tasks: number;
  crashes: number;
}

export async function runModel(options: ModelRunOptions): Promise<ModelFigures> {
  const { stories, crashes = 2, booksEvery = 25 } = options;
  const keptBodies = mkdtempSync(join(tmpdir(), "tollgate-model-bodies-"));
  const toolServer = await startToolServer();
  const env = {
    ...options.env,
    CALL_BODIES: keptBodies,
    MCP_PRIVATE_HOSTS: new URL(toolServer.url).host,
  };
  const runGateway = await startRunGateway({ ...options, env }).catch(async (cause: unknown) => {
    await toolServer.close();
    throw cause;
  });
  const total = stories.reduce((sum, { runs }) => sum + runs, 0);
  const figures: ModelFigures = {
    problem: "",
    runs: 0,
    commands: 0,
    calls: 0,
    tasks: 0,
    crashes: 0,
  };
  try {
    const gateway = await createModelGateway(runGateway, toolServer.url);
    // PostgreSQL folds its queue into the roll-ups within a second.
    const prove = () =>
      eventually(
        async () =>
          assert.deepEqual(
            [...(await findBookErrors(runGateway)), ...(await findViewErrors(runGateway))],
            [],
          ),
        {
          timeoutMs: 15_000,
          everyMs: 200,
        },
      );
    const play = fc.asyncProperty(tellStories(crashes), async (story) => {
      const model = await gateway.startRun();
      for (const command of story.opening) await command.run(model, gateway);
      await fc.asyncModelRun(() => ({ model, real: gateway }), story.commands);
      for (const user of model.users) await gateway.compare(user);
      figures.runs += 1;
      if (figures.runs % booksEvery === 0 || figures.runs === total) await prove();
    });
    for (const { seed, runs, path } of stories) {
      const parameters = {
        seed,
        numRuns: runs,
        endOnFailure: true,
        ...(path !== undefined && { path }),
      };
      const { failed, counterexample, errorInstance, counterexamplePath } = await fc.check(
        play,
        parameters,
      );
      if (!failed) continue;
      const told = (counterexample ?? [])
        .flatMap(({ opening, commands }) => [...opening.map(String), String(commands)])
        .join(",");
      figures.problem = `seed ${seed}, path ${counterexamplePath}: ${String(errorInstance)}\n${told}`;
      break;
    }
    const [row] = await runGateway.rows<{ calls: number; tasks: number }>(
      `select coalesce(sum(requests), 0) as calls, coalesce(sum(case when quota > 0 and
         (model_name in ('filmed', 'batched') or model_name like 'mcp/%') then requests end), 0) as tasks
       from rollup_day_model`,
    );
    const steps = [...gateway.commandCounts.values()].reduce((sum, count) => sum + count, 0);
    Object.assign(figures, {
      commands: steps,
      calls: Number(row?.calls ?? 0),
      tasks: Number(row?.tasks ?? 0),
      crashes: gateway.commandCounts.get("crash") ?? 0,
    });
    return figures;
  } finally {
    await runGateway.close();
    await toolServer.close();
    rmSync(keptBodies, { recursive: true, force: true });
  }
}
