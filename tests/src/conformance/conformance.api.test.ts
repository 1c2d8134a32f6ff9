// What clients of each interface get over each provider. docs/assurance/conformance.json keeps it:
// a file that is not what the whole run found fails, and `npx vitest run --project api
// tests/src/conformance -u` writes it anew.
import { describe, expect, test } from "vitest";
import { testBilling } from "./billing-cases.ts";
import { useConformanceGateway } from "./conformance-gateway.ts";
import { ConformanceGrid } from "./conformance-grid.ts";
import {
  type ConformanceOutcomes,
  conformanceFile,
  writeOutcomes,
} from "./conformance-outcomes.ts";
import { testConversations } from "./conversation-cases.ts";
import {
  type ConversationEndpoint,
  conformanceFeatures,
  conversationEndpoints,
} from "./conversation-scenario.ts";
import { testKeepAlive } from "./keep-alive-cases.ts";
import { keptColumns, keptTable, testKeptObjects } from "./kept-object-cases.ts";
import { mcpColumns, mcpRows, mcpTable, testMcp } from "./mcp-cases.ts";
import { otherColumns, otherTable, testOtherEndpoints } from "./other-endpoint-cases.ts";
import { previousResponseColumn, testPreviousResponses } from "./previous-response-cases.ts";
import { providerFamilies } from "./provider-families.ts";
import { testRealtime } from "./realtime-cases.ts";
import { socketColumn, testSocketTurns } from "./socket-turn-cases.ts";
import { testStreamSplits } from "./stream-split-cases.ts";
import {
  columnsFor,
  failureColumnsOf,
  rawEntries,
  testUpstreamErrors,
} from "./upstream-error-cases.ts";

const grid = new ConformanceGrid();
const gateway = useConformanceGateway();
testConversations(grid, gateway);
testPreviousResponses(grid, gateway);
testSocketTurns(grid, gateway);
testBilling(grid, gateway);
testOtherEndpoints(grid, gateway);
testRealtime(grid, gateway);
testKeptObjects(grid, gateway);
testMcp(grid, gateway);
testUpstreamErrors(grid, gateway);
testKeepAlive(grid, gateway, failureColumnsOf);
// Last, because nothing else happens meanwhile: idle connections would be closed.
describe("pieces of streams", () => testStreamSplits(grid));

const talkColumns = (entry: ConversationEndpoint): string[] => [
  ...conformanceFeatures,
  ...(entry === "Responses" ? [previousResponseColumn, socketColumn] : []),
  "bill",
  "grammar",
  "cut anywhere",
];

function collectOutcomes(): ConformanceOutcomes {
  const rows = providerFamilies.map(({ name }) => name);
  return {
    conversations: conversationEndpoints.map((entry) =>
      grid.table(entry, rows, talkColumns(entry)),
    ),
    other: grid.table(otherTable, rows, otherColumns),
    kept: grid.table(keptTable, rows, keptColumns),
    mcp: grid.table(mcpTable, mcpRows, mcpColumns, "Server of"),
    failures: rawEntries.map((entry) =>
      grid.table(failureColumnsOf(entry), rows, columnsFor(entry)),
    ),
  };
}

// `npm test` tries the first pair of each kind, which says nothing of the others.
test("what is kept is what this run found", { tags: ["large"] }, async () => {
  await expect(writeOutcomes(collectOutcomes())).toMatchFileSnapshot(conformanceFile);
});
