// Keeps the first request with tools of each agent of the recipes, with long texts cut, in
// tests/src/conformance/agents/first-requests. `npm run trust -- agents` installs the agents.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readTurn } from "@tollgate/tests/conformance/agents/agent-dialects.ts";
import { agentRecipes } from "@tollgate/tests/conformance/agents/agent-recipes.ts";
import { runRecipe } from "@tollgate/tests/conformance/agents/run-recipes.ts";
import { startScriptedProvider } from "@tollgate/tests/conformance/scripted-provider.ts";
import { repositoryDir } from "@tollgate/tests/harness/repository-dir.ts";
import { installAgents } from "./play-recipes.ts";
import { readScriptOptions } from "./script-options.ts";

const kept = join(repositoryDir, "tests/src/conformance/agents/first-requests");
/** Descriptions fill most of a request and decide nothing. */
const textMax = 160;

/** `null` stays, and so does every name. */
function cutTexts(value: unknown): unknown {
  if (typeof value === "string")
    return value.length > textMax ? `${value.slice(0, textMax)}…` : value;
  if (Array.isArray(value)) return value.map(cutTexts);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, cutTexts(part)]));
}

const { values: flags } = readScriptOptions({
  command: "node scripts/keep-first-requests.ts",
  summary: "keeps the first request of each coding agent as a fixture",
  options: {
    folder: {
      ...{ type: "string", value: "FOLDER", help: "where the agents are installed" },
      default: join(tmpdir(), "tollgate-agents"),
    },
  },
});
const installed = await installAgents(flags.folder);
const provider = await startScriptedProvider();
for (const recipe of agentRecipes) {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-agent-"));
  let first: { path: string; body: unknown } | undefined;
  provider.setDefault(({ url, body }) => {
    const turn = readTurn(url, body);
    if (turn && turn.tools.length > 0) first ??= { path: url, body: cutTexts(body) };
    return {
      status: 400,
      headers: {},
      bytes: Buffer.from('{"error":{"message":"Only the request is wanted."}}'),
    };
  });
  // The scripted provider speaks no WebSocket.
  const overHttp = (text: string): string => text.replace("supports_websockets = true", "");
  await runRecipe(recipe, provider.url, "sk-kept", folder, installed, overHttp);
  await rm(folder, { recursive: true, force: true });
  const name = recipe.name.toLowerCase().replace(/[^a-z0-9.]+/g, "-");
  if (first)
    await writeFile(
      join(kept, `${name}.json`),
      `${JSON.stringify(first).replaceAll(folder, "/work")}\n`,
    );
  console.log(`${recipe.name}: ${first ? "kept" : "sent no tools"}`);
}
await provider.close();
