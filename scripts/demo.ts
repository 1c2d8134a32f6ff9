// `npm run demo`: the product as a user sees it, full of sample data, with a simulated provider in
// place of real ones.
import { join } from "node:path";
import { ensureConsoleBuild } from "./console-build.ts";
import type { DemoSite } from "./demo-site.ts";
import { readScriptOptions } from "./script-options.ts";
import { onNpmEnd } from "./supervise-gateway.ts";

const root = join(import.meta.dirname, "..");
readScriptOptions({
  command: "npm run demo",
  summary: "a month of sample data with a simulated provider, on PORT or 3000; nothing is kept",
  options: {},
});

try {
  await ensureConsoleBuild(root, () =>
    console.log("Building the console, this takes a few seconds."),
  );
  console.log("Preparing the sample data.");
  // Loads the whole gateway, which a question for help does without.
  const { startDemoSite } = await import("./demo-site.ts");
  const site = await startDemoSite({ port: Number(process.env.PORT || 3_000) });
  console.log(welcome(site));
  const ended = await Promise.race([requested(), site.exited.then(() => "by itself" as const)]);
  if (ended === "by itself") {
    console.error(`The gateway ended by itself:\n${site.output().slice(-4_000)}`);
    process.exitCode = 1;
  }
  await site.stop();
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}

function welcome({ url, username, user, password, calls, simulator }: DemoSite): string {
  return `
  Tollgate demo: ${calls.toLocaleString("en")} calls of the last 30 days, none of them real

  Address:    ${url}
  User name:  ${username}, or ${user} for an ordinary account
  Password:   ${password}

  The simulated provider is ${simulator}; simulator/README.md says how its keys behave.
  Ctrl-C ends the demo and removes its data.
`;
}

/**
 * Resolves at the first signal to stop, or when npm has ended. Ctrl-C may arrive twice, from the
 * terminal and from npm.
 */
function requested(): Promise<"asked"> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
      process.on(signal, () => resolve("asked"));
    onNpmEnd(() => resolve("asked"));
  });
}
