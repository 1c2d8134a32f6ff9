// Large runs of what clients, providers and attackers may send: generated requests, streams and
// sign-ins, and injected scripts.
import { availableParallelism } from "node:os";
import { catalogue } from "@tollgate/contract/catalogue/catalogue.ts";
import { repositoryDir } from "@tollgate/tests/harness/repository-dir.ts";
import { injections } from "@tollgate/tests/trust/injections.ts";
import { ensureConsoleBuild } from "../../scripts/console-build.ts";
import { installMissing, nginx } from "../../scripts/system-packages.ts";
import { runForgedSignIns } from "./runs/forged-sign-ins.ts";
import { runFuzz } from "./runs/fuzz-run.ts";
import { runParser } from "./streams/parser-run.ts";
import { cutsPerStream } from "./streams/replay-stream.ts";
import { defineRun, seedOption } from "./trust-run.ts";
import { ending, showProblems, timeOfDay } from "./trust-run-words.ts";
import { runVitest } from "./trust-vitest.ts";

export const fuzzRun = defineRun({
  summary: "generated requests to every operation and every endpoint, by every kind of user",
  options: { cases: [1_000_000, "requests"], seed: seedOption },
  async run(options, { stop, report }) {
    await ensureConsoleBuild(repositoryDir, () => console.log("Building the console."));
    const startedAt = Date.now();
    const found = await runFuzz({
      ...options,
      stop,
      onBatch({ cases, problems, called, succeeded, slowestMs }) {
        const rate = ((cases / (Date.now() - startedAt)) * 1000).toFixed(0);
        console.log(
          `${cases}: ${rate}/s, ${called.size} called, ${succeeded.size} succeeded, slowest ${slowestMs.toFixed(0)} ms, ${problems.length} problems`,
        );
      },
    });
    showProblems(found.problems);
    const missed = catalogue.filter(({ name }) => !found.called.has(name)).map(({ name }) => name);
    const statuses = [...found.statuses]
      .sort(([a], [b]) => a - b)
      .map(([status, count]) => `${status}: ${count}`);
    report({
      run: "generated requests",
      size: found.cases,
      passed: found.problems.length === 0,
      figures: [
        `${found.cases} cases from seed ${options.seed}`,
        `${found.called.size} of ${catalogue.length} operations called${missed.length > 0 ? ` (not ${missed.join(", ")})` : ""}, ${found.succeeded.size} answered with success`,
        `slowest ${found.slowestMs.toFixed(0)} ms`,
        `statuses ${statuses.join(", ")}`,
        ending(
          "0 crashes, hangs, unexplained 5xx or responses unlike their schema",
          found.problems,
        ),
      ].join("; "),
    });
  },
});

export const injectionsRun = defineRun({
  summary:
    "every script-injection payload in every place of the console, one at a time where it is shown as markup",
  options: {},
  async run(_, { report }) {
    const files = ["rich-text-injections", "text-injections", "chosen-names"].map(
      (name) => `tests/src/trust/${name}.large.test.ts`,
    );
    const { isGood, results } = await runVitest(["--project", "large", ...files], {
      INJECTIONS: "full",
    });
    const failed = results.filter(({ status }) => status === "failed").length;
    report({
      run: "injections",
      size: injections.length,
      passed: isGood && failed === 0,
      figures: `${injections.length} payloads in ${results.length} tests of Chromium, ${failed} of them failed`,
    });
  },
});

export const parserRun = defineRun({
  summary:
    "generated streams of every API format, split in many ways, compared with a plain reader",
  options: {
    cases: [10_000_000, "streams, each time that one is split"],
    threads: [availableParallelism(), "threads"],
    seed: seedOption,
  },
  async run(options, { stop, report }) {
    const startedAt = Date.now();
    let shownAt = 0;
    const found = await runParser({
      ...options,
      stop,
      onProgress(cases, problems) {
        if (cases < shownAt + 250_000) return;
        shownAt = cases;
        const rate = ((cases / (Date.now() - startedAt)) * 1000).toFixed(0);
        console.log(`${timeOfDay()} ${cases} cases, ${rate}/s, ${problems.length} problems`);
      },
    });
    showProblems(found.problems);
    const rate = ((found.cases / (Date.now() - startedAt)) * 1000).toFixed(0);
    report({
      run: "stream parser",
      size: found.cases,
      passed: found.problems.length === 0,
      figures: [
        `${found.cases} cases, ${found.streams} streams each split in ${cutsPerStream} ways, from seed ${options.seed} in ${found.threads} threads, ${rate}/s`,
        `in use after a collection at a tenth ${found.usedMiBFirst.toFixed(1)} MiB, at the end ${found.usedMiBLast.toFixed(1)} MiB`,
        ending(
          "none read unlike the plain reader or by how it was split, no false end, nothing thrown",
          found.problems,
        ),
      ].join("; "),
    });
  },
});

export const signInsRun = defineRun({
  summary:
    "forged id tokens, discovery documents and claims, as a provider or an attacker on the way could send them",
  options: { cases: [100_000, "forgeries, with genuine tokens among them"], seed: seedOption },
  async run(options, { stop, report }) {
    const found = await runForgedSignIns({
      ...options,
      stop,
      onProgress: ({ cases, problems }) =>
        console.log(`${timeOfDay()} ${cases} cases, ${problems.length} problems`),
    });
    showProblems(found.problems);
    const refused = [...found.refused.values()].reduce((sum, count) => sum + count, 0);
    report({
      run: "forged sign-ins",
      size: found.cases,
      passed: found.problems.length === 0,
      figures: [
        `${found.cases} cases from seed ${options.seed}`,
        `${refused} forgeries of ${found.refused.size} kinds identified no account, ${found.genuine} genuine tokens their own`,
        ending("nothing else was thrown", found.problems),
      ].join("; "),
    });
  },
});

/** Sign-ins and keys as other programs meet them; those of Python are fetched by this run alone. */
const identityTests = [
  "tests/src/identity",
  "tests/src/journeys/oidc-sign-in",
  "tests/src/journeys/oauth-sign-in",
  "tests/src/journeys/passkeys",
  "tests/src/trust/proxy-sign-in",
  "tests/src/api/oidc-sign-in",
  "tests/src/api/hostile-sign-ins",
  "tests/src/api/provider-people",
  "tests/src/api/key-reveal",
  "tests/src/api/management-keys",
  "tests/src/api/passkeys",
  "tests/src/api/authorization-matrix",
  "tests/src/api/mcp-command",
  "tests/src/clients/openapi",
];

export const identityRun = defineRun({
  summary:
    "sign-ins with two identity servers, passkeys, nginx and every caller; an agent and generated clients",
  options: {},
  async run(_, { report }) {
    for (const line of installMissing([nginx])) console.log(line);
    const projects = ["large", "journeys", "database", "api"].flatMap((project) => [
      "--project",
      project,
    ]);
    const { isGood, results } = await runVitest([...projects, ...identityTests], {
      DATABASES: "all",
    });
    const passed = results.filter(({ status }) => status === "passed").length;
    report({
      run: "identity",
      size: passed,
      passed: isGood && passed === results.length,
      figures: `${passed} of ${results.length} tests with oidc-provider, canaille, Chromium's virtual authenticator, nginx, the clients of the Model Context Protocol of npm and PyPI, openapi-typescript and openapi-python-client`,
    });
  },
});
