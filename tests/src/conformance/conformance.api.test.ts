// What every client shape gets over every kind of provider. The run writes docs/conformance.md: a page that is not what
// this run found fails, and `npx vitest run --project api tests/src/conformance -u` writes it anew.
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { repositoryDir } from "../harness/places.ts";
import { tryBills } from "./bills.ts";
import { tryCuts } from "./cuts.ts";
import { Grid } from "./grid.ts";
import { tryOthers } from "./others.ts";
import { conformancePage } from "./page.ts";
import { tryRealtime } from "./realtime.ts";
import { tryReferences } from "./references.ts";
import { trySilences } from "./silences.ts";
import { openStage } from "./stage.ts";
import { tryTalks } from "./talks.ts";
import { troublesOf, tryTroubles } from "./troubles.ts";

const grid = new Grid();
const stage = openStage();
tryTalks(grid, stage);
tryReferences(grid, stage);
tryBills(grid, stage);
tryOthers(grid, stage);
tryRealtime(grid, stage);
tryTroubles(grid, stage);
trySilences(grid, stage, troublesOf);
// Last, because nothing else happens meanwhile: idle connections would be closed.
describe("pieces of streams", () => tryCuts(grid));

test("the page says what this run found", async () => {
  await expect(conformancePage(grid)).toMatchFileSnapshot(join(repositoryDir, "docs/conformance.md"));
});
