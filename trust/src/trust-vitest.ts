// Runs tests for `npm run trust`, and reads what their JSON report says of each.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { delimiter, join, relative } from "node:path";
import { ensureConsoleBuild } from "../../scripts/console-build.ts";
import { makeTestFolder, removeTestFolder } from "../../scripts/test-folder.ts";

const root = join(import.meta.dirname, "../..");

/** The few fields of `--reporter=json` that are read. */
interface TaggedTestReport {
  testResults: {
    name: string;
    assertionResults: {
      fullName: string;
      status: string;
      tags: string[];
      location?: { line: number } | null;
    }[];
  }[];
}

export interface TaggedTestResult {
  file: string;
  fullName: string;
  /** `line` is where the test stands in its file. */
  line: number | undefined;
  status: string;
  tags: string[];
}

/** `isGood` is Vitest's own verdict: an error outside of any test fails a run as well. */
export async function runVitest(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<{ isGood: boolean; results: TaggedTestResult[] }> {
  await ensureConsoleBuild(root, () => console.log("Building the console."));
  const folder = makeTestFolder();
  const file = join(folder, "report.json");
  try {
    const { status } = spawnSync(
      "vitest",
      [
        "run",
        ...args,
        "--includeTaskLocation",
        "--reporter=dot",
        "--reporter=json",
        `--outputFile.json=${file}`,
      ],
      {
        cwd: root,
        stdio: "inherit",
        env: {
          ...process.env,
          ...env,
          TMPDIR: folder,
          PATH: join(root, "node_modules/.bin") + delimiter + process.env.PATH,
        },
      },
    );
    const report = existsSync(file)
      ? (JSON.parse(readFileSync(file, "utf8")) as TaggedTestReport)
      : undefined;
    const results = (report?.testResults ?? []).flatMap(({ name, assertionResults }) =>
      assertionResults.map((test) => ({
        ...test,
        file: relative(root, name),
        line: test.location?.line,
      })),
    );
    return { isGood: status === 0, results };
  } finally {
    removeTestFolder(folder);
  }
}
