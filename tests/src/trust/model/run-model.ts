// Many runs of the model on one gateway: each run is a random story, compared after every step; the books after some.
import assert from "node:assert/strict";
import fc from "fast-check";
import { eventually } from "../../harness/poll.ts";
import { troubleInBooks } from "../runs/books.ts";
import { type SiteOptions, startSite } from "../runs/site.ts";
import { troubleInViews } from "../runs/views.ts";
import { commands } from "./commands.ts";
import { openStage } from "./stage.ts";

export interface Stories {
  seed: number;
  /** Of a story that failed: only this one. */
  path?: string;
  runs: number;
}

export interface ModelRuns extends SiteOptions {
  /** All on one gateway, in turn. */
  stories: readonly Stories[];
  /** Of a thousand and more commands, so many are crashes. */
  crashes?: number;
  /** Runs between two proofs of all books. */
  booksEvery?: number;
}

export interface ModelFigures {
  /** What fast-check tells of the story that went wrong, and why; empty when none did. */
  trouble: string;
  runs: number;
  commands: number;
  calls: number;
  crashes: number;
}

const commandsMax = 24;

export async function runModel(options: ModelRuns): Promise<ModelFigures> {
  const { stories, crashes = 2, booksEvery = 25 } = options;
  const site = await startSite(options);
  const total = stories.reduce((sum, { runs }) => sum + runs, 0);
  const figures: ModelFigures = { trouble: "", runs: 0, commands: 0, calls: 0, crashes: 0 };
  try {
    const stage = await openStage(site);
    // What PostgreSQL has queued for its roll-ups is in them within a second.
    const prove = () =>
      eventually(async () => assert.deepEqual([...(await troubleInBooks(site)), ...(await troubleInViews(site))], []), {
        timeoutMs: 15_000,
        everyMs: 200,
      });
    const play = fc.asyncProperty(
      fc.commands([commands(crashes)], { maxCommands: commandsMax, size: "+1" }),
      async (story) => {
        const model = await stage.begin();
        await fc.asyncModelRun(() => ({ model, real: stage }), story);
        for (const person of model.people) await stage.compare(person);
        figures.runs += 1;
        if (figures.runs % booksEvery === 0 || figures.runs === total) await prove();
      },
    );
    for (const { seed, runs, path } of stories) {
      const parameters = { seed, numRuns: runs, endOnFailure: true, ...(path !== undefined && { path }) };
      const { failed, counterexample, errorInstance, counterexamplePath } = await fc.check(play, parameters);
      if (!failed) continue;
      figures.trouble = `seed ${seed}, path ${counterexamplePath}: ${String(errorInstance)}\n${counterexample}`;
      break;
    }
    const [row] = await site.rows<{ calls: number }>(
      "select coalesce(sum(requests), 0) as calls from rollup_day_model",
    );
    const steps = [...stage.counted.values()].reduce((sum, count) => sum + count, 0);
    Object.assign(figures, {
      commands: steps,
      calls: Number(row?.calls ?? 0),
      crashes: stage.counted.get("crash") ?? 0,
    });
    return figures;
  } finally {
    await site.close();
  }
}
