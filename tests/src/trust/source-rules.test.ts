// Rules that no request can show: what the program consists of, and what it never does.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createMemoryCounters } from "@tollgate/gateway/limits/counters.ts";
import { expect, test } from "vitest";
import { collectGarbage } from "../harness/collect-garbage.ts";
import { repositoryDir } from "../harness/repository-dir.ts";

const read = (path: string): string => readFileSync(join(repositoryDir, path), "utf8");
const sourcesOf = (...folders: string[]): [path: string, text: string][] =>
  folders.flatMap((folder) =>
    readdirSync(join(repositoryDir, folder), { recursive: true, encoding: "utf8" })
      .filter(
        (name) => /\.tsx?$/.test(name) && !/(\.test\.tsx?|fixtures\.ts|testing\.ts)$/.test(name),
      )
      .map((name): [string, string] => [`${folder}/${name}`, read(`${folder}/${name}`)]),
  );
/** Matching lines as `file: line`, without comments. */
const placesOf = (sources: readonly [string, string][], pattern: RegExp): string[] =>
  sources.flatMap(([path, text]) =>
    text
      .split("\n")
      .filter((line) => !/^\s*(\/\/|\*|\/\*)/.test(line) && pattern.test(line))
      .map((line) => `${path}: ${line.trim()}`),
  );

const server = sourcesOf("gateway/src", "contract/src");
const page = sourcesOf("console/src");

test("the sources were found", () => {
  expect(server.length).toBeGreaterThan(200);
  expect(page.length).toBeGreaterThan(100);
});

test("F-67 the gateway evaluates no text, starts no program but itself and loads no code by a name that it is given", {
  tags: ["F-67"],
}, () => {
  const acts =
    /\beval\s*\(|new Function\b|child_process|node:vm\b|\bexecFile|\bspawn\(|createRequire|process\.dlopen|\brequire\(/;
  expect(placesOf(server, acts).toSorted()).toEqual([
    'gateway/src/commands/import/remote-source.ts: import type { ChildProcess } from "node:child_process";',
    'gateway/src/process/fork-program.ts: import { type ChildProcess, type ForkOptions, fork } from "node:child_process";',
    'gateway/src/process/process-group.ts: import type { ChildProcess } from "node:child_process";',
  ]);
  expect(
    placesOf(server, /(?<!function )\bforkProgram\(/)
      .map((place) => place.split(":")[0])
      .toSorted(),
  ).toEqual([
    "gateway/src/commands/import/remote-source.ts",
    "gateway/src/process/process-group.ts",
  ]);
  expect(read("gateway/src/process/process-group.ts")).toMatch(/forkProgram\(\s*main,\s*\["serve"/);
  expect(read("gateway/src/commands/import/remote-source.ts")).toContain(
    "forkProgram(program, [], {",
  );
  expect(read("gateway/src/process/process-group.ts")).toContain(
    'const main = join(import.meta.dirname, "../start/main.ts");',
  );
  expect(read("gateway/src/commands/import/remote-source.ts")).toContain(
    'const program = fileURLToPath(new URL("./source-process.ts", import.meta.url));',
  );
  expect(placesOf(server, /\bimport\(\s*[^"\s)]/)).toEqual([]);
  const threads = placesOf(server, /new Worker\(/).map((place) => place.split(":")[0]);
  expect(threads.toSorted()).toEqual([
    "gateway/src/accounts/identity/users/imported-passwords.ts",
    "gateway/src/relay/call-bodies/body-keeper.ts",
    "gateway/src/relay/counting/token-counting.ts",
    "gateway/src/storage/sqlite-thread.ts",
    "gateway/src/telemetry/call-tracing.ts",
  ]);
});

test("F-93 F-95 F-96 the console writes HTML in one place, behind its sanitiser, and everything else as text", {
  tags: ["F-93", "F-95", "F-96"],
}, () => {
  const sinks =
    /dangerouslySetInnerHTML|\.(inner|outer)HTML\s*=|insertAdjacentHTML|document\.write|srcDoc|createContextualFragment|\beval\(|new Function\b/;
  const places = placesOf(page, sinks).map((place) => place.split(":")[0]);
  expect(places).toEqual(["console/src/components/texts/rich-text.tsx"]);
  // No renderer of its own for formulas, diagrams or code, whose error paths could write markup.
  const packages = Object.keys(JSON.parse(read("console/package.json")).dependencies as object);
  expect(packages.filter((name) => /katex|mathjax|mermaid|highlight|prism/.test(name))).toEqual([]);
});

test("F-61 no name of a column and no direction is pasted into a statement but from our own lists", {
  tags: ["F-61"],
}, () => {
  // Raw SQL is a tagged template, whose values are parameters; these are the ways around that.
  // Storage writes schemas, and what seals anew goes through a list of columns that is written in
  // the program.
  const own = /^gateway\/src\/(storage\/|secrets\/reencrypt\.ts)/;
  const paths = /\bsql\.raw\(|\bsql\.lit\(|\.orderBy\(\s*`|\bexec\(\s*`[^`]*\$\{/;
  const known = placesOf(server, paths).filter((place) => !own.test(place));
  expect(known).toEqual([]);
});

/** Of the processor, not of the clock: a busy machine makes no expression slow. */
function msOf(expression: RegExp, text: string): number {
  const before = process.threadCpuUsage();
  expression.test(text);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/** Steps grow with the square of the text, which is short wherever these are used. */
const overShortText: Readonly<Record<string, string>> = {
  "\\/+$": "addresses of operators, at most a few hundred characters",
  "\\.?0+$": "decimals of our own making",
  "=+$": "base64 of our own making",
};

test("F-65 no regular expression of the server takes long over hostile text", {
  tags: ["F-65"],
  timeout: 60_000,
}, () => {
  const bounds = { text: 20_000, ms: 100 };
  const literal =
    /(?<=[(,=:[!&|?{;]\s*|=>\s*|return\s+)\/(?![*/])((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+)\/([dgimsuvy]*)(?![\w/])/g;
  const found = new Map<string, RegExp>();
  for (const [path, text] of server) {
    for (const line of text.split("\n")) {
      if (/^\s*(\/\/|\*|\/\*)/.test(line)) continue;
      for (const [, body = "", flags = ""] of line.matchAll(literal)) {
        try {
          if (body in overShortText) continue;
          found.set(`${path}: /${body}/${flags}`, new RegExp(body, flags.replaceAll(/[gy]/g, "")));
        } catch {
          // A division or a piece of text that only looked like one.
        }
      }
    }
  }
  expect(found.size).toBeGreaterThan(80);
  const slow: string[] = [];
  for (const [name, expression] of found) {
    const own = [...new Set(expression.source.replaceAll(/[\\()[\]{}?*+|^$]/g, ""))].slice(0, 12);
    const letters = [...new Set([...own, "a", "0", " ", "-", "/", ".", "\n", '"', "\\"])];
    const texts = letters.flatMap((letter) => [
      letter.repeat(bounds.text),
      `${letter.repeat(bounds.text)}\u0001`,
    ]);
    const pairs = own.flatMap((letter) =>
      ["a", "0", " "].map((other) => `${(letter + other).repeat(bounds.text / 2)}\u0001`),
    );
    for (const text of [...texts, ...pairs]) {
      if (msOf(expression, text) < bounds.ms) continue;
      // Once more: it may have been the machine.
      const ms = Math.min(msOf(expression, text), msOf(expression, text));
      if (ms < bounds.ms) continue;
      slow.push(`${name} takes ${Math.round(ms)} ms over ${JSON.stringify(text.slice(0, 4))}…`);
      break;
    }
  }
  expect(slow).toEqual([]);
});

test("F-111 a limiter uses no more memory than its keys may, whatever limit is set and whichever clients call", {
  tags: ["F-111"],
}, async () => {
  let now = 1_700_000_000_000;
  const counters = createMemoryCounters(() => now);
  const before = keptBytes();
  for (let n = 0; n < 100_000; n += 1) {
    now += 10;
    await counters.take({ name: `source ${n}`, limit: 1_000_000, windowMs: 60_000 });
    // One that never stops costs its slots, not its calls.
    await counters.take({ name: "busy 1", limit: 1_000_000, windowMs: 60_000 });
  }
  expect((keptBytes() - before) / 1024 / 1024).toBeLessThan(50);
});

/** `keptBytes` gives what of the heap is still needed: the collector has been through it. */
function keptBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

test("F-131 the gateway asks for a Node that is maintained, and is tried on the one that is locked", {
  tags: ["F-131"],
}, () => {
  const { engines, devDependencies } = JSON.parse(read("package.json")) as {
    engines: { node: string };
    devDependencies: { node: string };
  };
  expect(Number(/>=(\d+)/.exec(engines.node)?.[1])).toBeGreaterThanOrEqual(24);
  expect(Number(/\^(\d+)/.exec(devDependencies.node)?.[1])).toBe(
    Number(process.versions.node.split(".")[0]),
  );
});
