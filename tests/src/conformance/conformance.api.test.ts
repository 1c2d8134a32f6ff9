// What clients of each interface get over each provider. The whole run writes docs/conformance.md:
// a page that is not what it found fails, and `npx vitest run --project api tests/src/conformance
// -u` writes it anew.
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { repositoryDir } from "../harness/repository-dir.ts";
import { testBilling } from "./billing-cases.ts";
import { useConformanceGateway } from "./conformance-gateway.ts";
import { ConformanceGrid } from "./conformance-grid.ts";
import { conformancePage } from "./conformance-page.ts";
import { testConversations } from "./conversation-cases.ts";
import { testKeepAlive } from "./keep-alive-cases.ts";
import { testKeptObjects } from "./kept-object-cases.ts";
import { testMcp } from "./mcp-cases.ts";
import { testOtherEndpoints } from "./other-endpoint-cases.ts";
import { testPreviousResponses } from "./previous-response-cases.ts";
import { testRealtime } from "./realtime-cases.ts";
import { testSocketTurns } from "./socket-turn-cases.ts";
import { testStreamSplits } from "./stream-split-cases.ts";
import { failureColumnsOf, testUpstreamErrors } from "./upstream-error-cases.ts";

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

// `npm test` tries the first pair of each kind, which says nothing of the others.
test("the page says what this run found", { tags: ["large"] }, async () => {
  await expect(conformancePage(grid)).toMatchFileSnapshot(
    join(repositoryDir, "docs/conformance.md"),
  );
});
