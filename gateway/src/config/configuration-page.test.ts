// docs/configuration.md is made of the declared variables.
import { join } from "node:path";
import { repositoryDir } from "@tollgate/tests/harness/repository-dir.ts";
import { expect, test } from "vitest";
import { readCommandLine } from "../commands/command-line/read-command-line.ts";
import { readDefault, variableGroups } from "./variable-groups.ts";

const introduction = `# Configuration

<!-- Written by gateway/src/config/configuration-page.test.ts from the declared variables: run it with -u after a change. -->

Every variable is optional and read from the environment at the start. An invalid value stops the start with a message that
names the variable. Settings of the site, such as prices and sign-in, are in the console and in a
[configuration file](configuration-file.md).

Variables marked * hold secrets: \`NAME_FILE\` may name a file with the value instead, as Docker and Kubernetes mount them
(\`MASTER_KEY_FILE=/run/secrets/master-key\`).

A [reload](operations.md#reload) takes new values of variables marked ↻ at once; any other change needs a restart.

\`/healthz\` answers while the process lives, \`/readyz\` while it accepts calls; \`/metrics\` is for Prometheus
([metrics.md](metrics.md)). On SIGTERM the gateway accepts no new calls and ends when the running ones have finished and are
charged; a second SIGTERM ends it at once.
`;

test("the page of variables is made of their declarations", async () => {
  const groups = variableGroups.map(([title, rows]) => {
    const lines = Object.entries(rows).map(([name, row]) => {
      const shown = readDefault(row);
      return `| \`${name}\`${row.isSecret ? " *" : ""}${row.isLive ? " ↻" : ""} |${shown && ` ${shown.includes(" ") ? shown : `\`${shown}\``}`} | ${row.meaning} |`;
    });
    return `## ${title}\n\n| Variable | Default | Meaning |\n|---|---|---|\n${lines.join("\n")}\n`;
  });
  const page = [introduction, ...groups].join("\n");
  await expect(page).toMatchFileSnapshot(join(repositoryDir, "docs/configuration.md"));
});

test("a variable has one sentence, without a full stop, and stands in one group", () => {
  const rows = variableGroups.flatMap(([, group]) => Object.entries(group));
  expect(rows.filter(([, { meaning }]) => meaning === "" || meaning.endsWith("."))).toEqual([]);
  expect(rows.length).toBeGreaterThan(50);
  expect(new Set(rows.map(([name]) => name)).size).toBe(rows.length);
});

test("the help of serve names every variable with its default", async () => {
  const reading = await readCommandLine(["serve", "--help"], 100);
  const text = reading.kind === "help" ? reading.text : "";
  for (const [, rows] of variableGroups)
    for (const [name, row] of Object.entries(rows)) {
      const shown = readDefault(row);
      expect(text).toContain(`  ${name}${shown && ` (default: ${shown})`}\n`);
    }
});
