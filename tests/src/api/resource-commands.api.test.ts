// The commands `users`, `keys` and `channels` against a running gateway.
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Consent } from "@tollgate/gateway/commands/command-line/consent.ts";
import type { ManagementClient } from "@tollgate/gateway/commands/command-line/management-client.ts";
import { readCommandLine } from "@tollgate/gateway/commands/command-line/read-command-line.ts";
import { runResourceCommand } from "@tollgate/gateway/commands/command-line/resource-commands.ts";
import { findResourceVerb } from "@tollgate/gateway/commands/command-line/resource-verbs.ts";
import { runRemoteCommand } from "@tollgate/gateway/start/open-command-line.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { gatewayProgram } from "../harness/gateway-program.ts";
import { startTestGateway, type TestGateway } from "../harness/test-gateway.ts";

let gateway: TestGateway;
let folder: string;
let key: string;
let reader: string;
beforeAll(async () => {
  gateway = await startTestGateway();
  folder = await mkdtemp(join(tmpdir(), "tollgate-commands-"));
  const keyOf = async (name: string, scopes: string[]) =>
    (
      await gateway.api<{ key: string }>("POST", "/api/management_key/", {
        name,
        scopes,
        lifetime_days: 1,
      })
    ).key;
  const read = ["users:read", "tokens:read", "channels:read"];
  key = await keyOf("operator", [
    ...read,
    "users:write",
    "tokens:write",
    "channels:write",
    "wallets:grant",
  ]);
  reader = await keyOf("reader", read);
});
afterAll(async () => {
  await gateway?.close();
  await rm(folder, { recursive: true, force: true });
});

/** `person` is who is at the terminal, if someone is. */
let person: Consent = "unasked";
const questions: string[] = [];
const tollgate = async (line: string, as = key) => {
  const reading = await readCommandLine(line.split(" "));
  if (reading.kind === "wrong") return { code: 64, out: "", err: `tollgate: ${reading.problem}` };
  if (reading.kind !== "command") throw new Error(`${line} is no command`);
  const out: string[] = [];
  const err: string[] = [];
  const code = await runRemoteCommand({
    command: reading.input,
    consent: async (question, { yes }) => {
      if (yes === true) return "given";
      questions.push(question);
      return person;
    },
    gateway: { url: gateway.url, key: as },
    environment: {},
    input: (async function* () {})(),
    print: (text) => void out.push(text),
    warn: (text) => void err.push(text),
  });
  return { code, out: out.join("\n"), err: err.join("\n") };
};
const json = async (line: string) => {
  const { out, err } = await tollgate(`${line} --json`);
  expect(err).toBe("");
  return JSON.parse(out);
};
const write = async (name: string, text: string) => {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
};

test("a user is made with a password from a file, found, changed, disabled and deleted", async () => {
  const password = await write("password", "a password of a file\n");
  const made = await json(
    `users create --username carol --password-file ${password} --group default --quota 1000`,
  );
  expect(made).toMatchObject({ username: "carol", quota: 1000, status: 1 });
  const found = await tollgate("users list --keyword carol");
  expect(found.out).toMatch(
    /^ID +USERNAME +ROLE +STATUS +GROUP +QUOTA +USED_QUOTA +EXTERNAL_ID\n\d+ +carol +1 +enabled/,
  );
  expect(await json(`users update ${made.uuid} --quota 5000 --display-name Carol`)).toMatchObject({
    quota: 5000,
    display_name: "Carol",
  });
  expect((await tollgate(`users disable ${made.id}`)).out).toMatch(/status +disabled/);
  expect(await tollgate(`users delete ${made.id}`)).toMatchObject({
    code: 1,
    err: expect.stringContaining("add --yes"),
  });
  person = "refused";
  expect(await tollgate(`users delete ${made.id}`)).toMatchObject({
    code: 1,
    err: `tollgate: the user ${made.id} is not deleted`,
  });
  person = "unasked";
  expect(questions.at(-1)).toBe(`Delete the user ${made.id} for good?`);
  expect(await tollgate(`users delete ${made.id} --yes`)).toMatchObject({ code: 0, out: "" });
  expect(await tollgate(`users show ${made.id}`)).toMatchObject({ code: 1, out: "" });
});

test("a new key goes into a file of its owner alone or is printed when asked, and is masked anywhere else", async () => {
  expect(await tollgate("keys create --name ci")).toMatchObject({
    code: 1,
    err: expect.stringContaining("--key-to FILE"),
  });
  const target = join(folder, "new-key");
  const created = await tollgate(
    `keys create --name ci --unlimited-quota true --rpm-limit 5 --key-to ${target}`,
  );
  expect([created.err, created.code]).toEqual(["", 0]);
  const text = (await readFile(target, "utf8")).trim();
  expect(text).toMatch(/^sk-\w{20,}$/);
  expect((await stat(target)).mode & 0o777).toBe(0o600);
  const shown = await tollgate("keys list");
  expect([created.out, shown.out].join("\n")).not.toContain(text);
  expect(await tollgate(`keys create --name again --key-to ${target}`)).toMatchObject({
    code: 1,
    err: expect.stringContaining("EEXIST"),
  });
  const { id } = (await json("keys list --keyword ci"))[0];
  expect((await tollgate("keys create --name shown --show-key")).out).toMatch(/key +sk-\w{20,}\n/);
  expect(await json(`keys update ${id} --rpm-limit none --models a,b`)).toMatchObject({
    rpm_limit: 0,
    models: "a,b",
  });
  expect((await tollgate("keys list --everyone")).out).toMatch(/^ID +NAME +USERNAME +KEY_ENDING/);
  expect((await tollgate(`keys disable ${id} --everyone`)).out).toMatch(/status +disabled/);
});

test("a key is rotated into a new file, and the old one works until the overlap ends", async () => {
  const files = ["first", "second", "third"].map((name) => join(folder, name));
  await tollgate(`keys create --name turning --unlimited-quota true --key-to ${files[0]}`);
  const { id } = (await json("keys list --keyword turning"))[0];
  expect(await tollgate(`keys rotate ${id} --overlap-seconds 60`)).toMatchObject({
    code: 1,
    err: expect.stringContaining("--key-to FILE"),
  });
  const unsaid = await tollgate(`keys rotate ${id} --key-to ${files[1]}`);
  expect(unsaid).toMatchObject({ code: 1, err: expect.stringContaining("--overlap-seconds") });
  const rotated = await tollgate(`keys rotate ${id} --overlap-seconds 60 --key-to ${files[1]}`);
  expect(rotated).toMatchObject({ code: 0, err: "" });
  expect(await statusesOf(files.slice(0, 2))).toEqual([200, 200]);
  expect(rotated.out).not.toContain((await readFile(files[1] ?? "", "utf8")).trim());
  await tollgate(`keys rotate ${id} --overlap-seconds 0 --key-to ${files[2]}`);
  expect(await statusesOf(files)).toEqual([401, 401, 200]);
  // The reply was lost, and the job runs again.
  const again = ["fourth", "fifth"].map((name) => join(folder, name));
  for (const file of again)
    expect(
      await tollgate(
        `keys rotate ${id} --overlap-seconds 0 --idempotency-key job-7 --key-to ${file}`,
      ),
    ).toMatchObject({ code: 0 });
  expect(await readFile(again[1] ?? "", "utf8")).toBe(await readFile(again[0] ?? "", "utf8"));
  expect(await statusesOf(again)).toEqual([200, 200]);
  expect((await tollgate("channels rotate 1")).err).toContain("unknown command 'rotate'");
});

/** What a call gets with the key of each file. */
const statusesOf = (files: readonly string[]) =>
  Promise.all(
    files.map(async (file) => {
      const key = (await readFile(file, "utf8")).trim();
      return (
        await fetch(`${gateway.url}/v1/models`, { headers: { Authorization: `Bearer ${key}` } })
      ).status;
    }),
  );

test("a channel takes its key from a file and its members from JSON, and a repetition of put changes nothing", async () => {
  const secret = await write("provider-key", "sk-canary-provider\n");
  const data = await write(
    "channel.json",
    JSON.stringify({ name: "from json", type: 1, models: "m1" }),
  );
  const put = () =>
    json(`channels put west --data ${data} --key-file ${secret} --models m2 --weight 3`);
  const first = await put();
  expect(first).toMatchObject({
    name: "from json",
    models: "m2",
    weight: 3,
    external_id: "west",
    key_hint: "ider",
  });
  expect((await put()).id).toBe(first.id);
  expect(JSON.stringify(first)).not.toContain("canary");
});

test("what does not fit is named by its flag before anything is sent, and never repeated", async () => {
  const cases: [string, RegExp][] = [
    ["users create --username x", /^tollgate: --password: /],
    ["keys create --name x --show-key --remain-quota canary", /--remain-quota is a whole number$/],
    [
      "keys create --name x --show-key --unlimited-quota canary",
      /--unlimited-quota is true or false$/,
    ],
    ["users update 5", /name what to write/],
    ["channels create --data /absent.json", /absent\.json cannot be read \(ENOENT\)$/],
    ["users list --sort canary", /--sort: /],
  ];
  const noCommands: [string, RegExp][] = [
    ["users create --password canary", /unknown option '--password'/],
    ["users create --password=canary", /unknown option '--password'/],
    ["users create --password-file --password=canary", /--password is an option/],
    ["users update --group x", /missing required argument 'ID'/],
    ["users list canary", /too many arguments for 'list'/],
    ["users frobnicate", /unknown command 'frobnicate'/],
  ];
  const all = [
    ...cases.map((one) => [1, ...one] as const),
    ...noCommands.map((one) => [64, ...one] as const),
  ];
  for (const [exitCode, line, message] of all) {
    const { code, out, err } = await tollgate(line);
    expect([code, out], line).toEqual([exitCode, ""]);
    expect(err, line).toMatch(message);
    expect(err, line).not.toContain("canary");
  }
});

test("a key without the scope is refused by the gateway, and a file for a key is not left behind", async () => {
  const target = join(folder, "refused-key");
  expect(await tollgate(`keys create --name no --key-to ${target}`, reader)).toMatchObject({
    code: 1,
    out: "",
  });
  await expect(stat(target)).rejects.toMatchObject({ code: "ENOENT" });
  expect(await tollgate("users list", reader)).toMatchObject({ code: 0 });
  expect(await tollgate("users list", "")).toMatchObject({
    code: 1,
    err: expect.stringContaining("TOLLGATE_KEY is missing"),
  });
});

test("a dry run is checked by the gateway and changes nothing; none is sent to a gateway that would make it", async () => {
  const password = await write("dora-password", "a password of a file\n");
  const { id } = await json(`users create --username dora --password-file ${password}`);
  const lines = [
    "users create --username not-made --data DATA",
    `users update ${id} --display-name Changed`,
    `users disable ${id}`,
    `users delete ${id}`,
    "keys create --name not-made",
    "channels put not-made --name x --type 1 --models m --data DATA",
  ];
  const data = await write(
    "secrets.json",
    JSON.stringify({ password: "a password of a file", key: "sk-canary" }),
  );
  const userLines = lines.map((line) => line.replace("DATA", data));
  const before = await tollgate(`users show ${id} --json`);
  for (const line of userLines) {
    expect(await tollgate(`${line} --dry-run`), line).toEqual({
      code: 0,
      out: "",
      err: "The gateway has checked rights and input. Nothing is changed.",
    });
    expect(await tollgate(`${line} --dry-run`, reader), line).toMatchObject({ code: 1, out: "" });
  }
  expect(await tollgate(`users show ${id} --json`)).toEqual(before);
  for (const list of ["users list", "keys list", "channels list"])
    expect(await json(`${list} --keyword not-made`)).toEqual([]);
  expect((await tollgate(`users disable ${id} --dry-run --json`)).out).toBe('{"dry_run":true}');
  expect((await tollgate(`users show ${id} --dry-run`)).err).toContain(
    "unknown option '--dry-run'",
  );

  const asked: string[] = [];
  const old: ManagementClient = async ({ path }) => {
    asked.push(path);
    return { success: true, message: "", data: { features: ["totp"] } };
  };
  const command = {
    call: old,
    consent: async () => "unasked" as const,
    print: () => {},
    warn: () => {},
  };
  const verb = findResourceVerb("users disable");
  const typed = { args: ["7"], options: { "dry-run": true } as const };
  await expect(verb && runResourceCommand(verb, typed, command)).rejects.toThrow(
    /knows no dry run/,
  );
  expect(asked).toEqual(["/api/status"]);
});

test("a program passes a secret by standard input, and the command ends with its exit code", {
  timeout: 180_000,
}, async () => {
  const args = ["users", "create", "--username", "piped", "--password-file", "-", "--json"];
  const program = gatewayProgram();
  const environment = {
    ...program.env,
    PATH: process.env.PATH ?? "",
    TOLLGATE_URL: gateway.url,
    TOLLGATE_KEY: key,
  };
  const ended = await new Promise<{ code: number; out: string }>((resolve) => {
    const child = execFile(
      process.execPath,
      [...program.args, ...args],
      { env: environment, cwd: folder },
      (error, out) => resolve({ code: error ? Number(error.code) : 0, out }),
    );
    child.stdin?.end("a password of a pipe\n");
  });
  expect(ended.code).toBe(0);
  expect(JSON.parse(ended.out)).toMatchObject({ username: "piped" });
});
