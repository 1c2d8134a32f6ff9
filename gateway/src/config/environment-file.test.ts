// The settings of the Debian package are read by its commands as systemd reads them for the
// service.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repositoryDir } from "@tollgate/tests/harness/repository-dir.ts";
import { expect, test } from "vitest";
import { readEnvironmentFile } from "./environment-file.ts";

test.each([
  ["plain", "a value", "a value"],
  ["of a database", "postgres://u@h/db?sslmode=disable&application_name=tollgate", undefined],
  [
    "with what a shell would run",
    "abc$HOME`id -un`$(id);exit 1 | cat > /dev/null & * ~ !",
    undefined,
  ],
  ["with a list", "group, token", undefined],
  ["with spaces around", "  \t a  b \t", "a  b"],
  ["with a number sign", "a#b # c", undefined],
  ["with quotes inside", `it's "so"`, undefined],
  ["in single quotes", `'a "b" $c \\n # '`, `a "b" $c \\n # `],
  ["in double quotes", `"a 'b' \\"c\\" \\\\ \\$d \\\`e\\\` \\n "`, `a 'b' "c" \\ $d \`e\` \\n `],
  ["of quoted parts", `"a b" 'c' d`, "a bcd"],
  ["with escapes", "a\\ b\\\\c\\'d\\ ", "a b\\c'd "],
  ["that goes on", "one\\\ntwo", "onetwo"],
  ["that goes on in quotes", `"one\\\ntwo"`, "onetwo"],
  ["of two lines", `'one\ntwo'`, "one\ntwo"],
  ["that is empty", "", undefined],
  ["with equals signs", "a=b==c", undefined],
])("a value %s", (_, written, value = written) => {
  const text = `BEFORE=1\nNAME=${written}\nAFTER=2\n`;
  expect(readEnvironmentFile(text)).toEqual({
    variables: { BEFORE: "1", NAME: value, AFTER: "2" },
    ignored: [],
  });
  expect(readEnvironmentFile(`NAME=${written}`).variables).toEqual({ NAME: value });
  expect(readEnvironmentFile(text.replaceAll(/(?<!\\)\n/g, "\r\n")).variables.AFTER).toBe("2");
});

test("comments, blank lines and lines without a name are nothing; the last value of a name counts", () => {
  const text = "# A=1\n ; B=2\n\nno assignment\n  C = 3\nD=4\nD=5\n# goes on \\\nE=6\n";
  expect(readEnvironmentFile(text)).toEqual({ variables: { C: "3", D: "5", E: "6" }, ignored: [] });
});

test("what is no variable is ignored and named, as systemd does", () => {
  const text = "export A=1\n2B=2\nC-D=3\n=4\nE=a\u0001b\nF=6\n";
  expect(readEnvironmentFile(text)).toEqual({
    variables: { F: "6" },
    ignored: ["export A", "2B", "C-D", "E"],
  });
});

test("a program gets them over its own, and a file that is not there is none", () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-settings-"));
  try {
    const file = join(folder, "tollgate.env");
    const start = (path: string) =>
      spawnSync(
        process.execPath,
        [join(repositoryDir, "scripts/debian-start.ts"), path, "/usr/bin/env", "-0"],
        {
          env: { SECRET: "of the caller", KEPT: "yes" },
          encoding: "utf8",
        },
      );
    writeFileSync(file, "SECRET=abc$HOME`id -un`&;\nNODE_EXTRA_CA_CERTS=/etc/ca.pem\nexport X=1\n");
    const { stdout, stderr, status } = start(file);
    expect([status, stdout.split("\0")]).toEqual([
      0,
      expect.arrayContaining([
        "SECRET=abc$HOME`id -un`&;",
        "KEPT=yes",
        "NODE_EXTRA_CA_CERTS=/etc/ca.pem",
      ]),
    ]);
    expect(stderr).toContain('sets "export X", which is no variable');
    expect(start(join(folder, "none")).stdout).toContain("SECRET=of the caller");
    writeFileSync(file, new Uint8Array([0x41, 0x3d, 0xff]));
    expect(start(file)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("cannot be read"),
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("the command of the package starts so, and its shell reads no file", () => {
  const script = join(repositoryDir, "deploy/debian/tollgate.sh");
  execFileSync("/bin/sh", ["-n", script]);
  const text = readFileSync(script, "utf8");
  expect(text).toContain("debian-start.mjs /etc/tollgate/tollgate.env");
  expect(text).not.toMatch(/^\s*(?:if .*; then )?(?:\.|source) /m);
});
