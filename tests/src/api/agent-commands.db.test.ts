import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runAgentCommand } from "@tollgate/gateway/commands/agents/agent-commands.ts";
import type { UsedAgent } from "@tollgate/gateway/commands/agents/agent-writers.ts";
import type { GivenOptions } from "@tollgate/gateway/commands/command-line/command-row.ts";
import type { AgentCommandName } from "@tollgate/gateway/commands/command-line/command-table.ts";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { ruleDatabases } from "../support/test-databases.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

const minute = 60_000;
const [database] = ruleDatabases;
if (!database) throw new Error("no database");

let gateway: ManagementGateway;
let person: TestApiClient;
let home: string;
beforeAll(async () => {
  gateway = await startManagementGateway(database, Date.now());
  await gateway.addUser("ada");
  person = await gateway.signIn("ada");
});
afterAll(async () => {
  expect(gateway.problems).toEqual([]);
  await gateway.close();
});
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "tollgate-home-"));
});
afterEach(() => rm(home, { recursive: true }));

interface CommandOutcome {
  code: number;
  out: string;
  err: string;
}

async function run(
  name: AgentCommandName,
  args: readonly string[] = [],
  options: GivenOptions = {},
  onPrint: (text: string) => void = () => undefined,
): Promise<CommandOutcome> {
  const told = { out: "", err: "" };
  const code = await runAgentCommand(name, {
    command: { name, args, options },
    environment: { HOME: home },
    program: ["tollgate"],
    print: (text) => {
      told.out += `${text}\n`;
      onPrint(text);
    },
    warn: (text) => {
      told.err += `${text}\n`;
    },
  });
  return { code, ...told };
}

/** The person approves as soon as the code is shown. */
const login = () =>
  run("login", [gateway.url], {}, (text) => {
    const user_code = /[A-Z]{4}-[A-Z]{4}/.exec(text)?.[0];
    if (user_code)
      void person("POST", "/api/agent/device/answer", { body: { user_code, approve: true } });
  });

const signInFile = () => join(home, ".config/tollgate/sign-in.json");
/** As if the key were about to end. */
const age = async (change: object) => {
  const stored = JSON.parse(await readFile(signInFile(), "utf8")) as object;
  await writeFile(signInFile(), JSON.stringify({ ...stored, ...change }));
};
const listFiles = async (): Promise<Record<string, string>> => {
  const found = await readdir(home, { recursive: true, withFileTypes: true });
  const files = found.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
  const own = files.filter((path) => !path.includes("/.config/tollgate/"));
  return Object.fromEntries(
    await Promise.all(own.map(async (path) => [path, await readFile(path, "utf8")] as const)),
  );
};

test("login, token and logout: a key that is renewed in time, by one process for all, and ends", async () => {
  expect(await run("token")).toMatchObject({
    code: 1,
    out: "",
    err: expect.stringContaining("tollgate login"),
  });
  expect(await login()).toMatchObject({ code: 0, out: expect.stringContaining("Signed in to") });
  expect((await stat(signInFile())).mode & 0o777).toBe(0o600);
  const first = await run("token");
  expect(first).toMatchObject({ code: 0, err: "" });
  expect(first.out).toMatch(/^sk-\w+\n$/);
  expect((await run("token")).out).toBe(first.out);
  await age({ expiresAt: Date.now() + minute });
  const many = await Promise.all(Array.from({ length: 6 }, () => run("token")));
  expect(new Set(many.map(({ out }) => out)).size).toBe(1);
  expect(many[0]?.out).not.toBe(first.out);
  expect((await stat(signInFile())).mode & 0o777).toBe(0o600);
  // A gateway that is away for a moment stops nobody whose key is still good.
  await age({ expiresAt: Date.now() + minute, url: "http://127.0.0.1:1" });
  expect((await run("token")).out).toBe(many[0]?.out);
  await age({ expiresAt: Date.now() - 1 });
  expect(await run("token")).toMatchObject({ code: 1, out: "" });
  await age({ url: gateway.url });
  expect((await run("token")).code).toBe(0);
  expect((await run("logout")).code).toBe(0);
  expect(await run("token")).toMatchObject({ code: 1, out: "" });
  const { sql, read } = gateway.db;
  expect(
    await read(
      sql.selectFrom("agent_sign_ins").innerJoin("sessions", "id_hash", "session_hash").selectAll(),
    ),
  ).toEqual([]);
}, 60_000);

/** What a person had in place before, and what their agent changed meanwhile. */
const earlier: Record<UsedAgent, Record<string, string>> = {
  claude: {
    ".claude/settings.json": '{\n\t"theme": "dark", "env": {"ANTHROPIC_MODEL": "mine"}\n}',
  },
  codex: {
    ".codex/config.toml":
      'model = "o3"\r\napproval_policy = "never"\n\n[model_providers.tollgate]\nname = "old"\n[tui]\nmodel = 1',
  },
  gemini: { ".gemini/.env": "export GOOGLE_GEMINI_BASE_URL=http://other\nX=1" },
  opencode: { ".config/opencode/opencode.json": '{"provider":{"other":{}},"model":"other/m"}' },
  qwen: {},
};

test.each(Object.entries(earlier) as [UsedAgent, Record<string, string>][])(
  "use %s writes its settings and --undo restores them to the byte",
  async (agent, files) => {
    await mkdir(join(home, ".config/tollgate"), { recursive: true });
    await writeFile(
      signInFile(),
      JSON.stringify({
        url: "https://ai.example.com",
        accessToken: "sk-x",
        expiresAt: Date.now() + 60 * minute,
        refreshToken: "r",
      }),
    );
    for (const [path, text] of Object.entries(files)) {
      await mkdir(join(home, path, ".."), { recursive: true });
      await writeFile(join(home, path), text);
    }
    const before = await listFiles();
    const shown = await run("use", [agent], { model: "m-1", print: true });
    expect(await listFiles()).toEqual(before);
    expect((await run("use", [agent], { model: "m-1" })).code).toBe(0);
    const written = await listFiles();
    for (const [path, text] of Object.entries(written))
      expect(shown.out).toContain(`${path}\n${text}`);
    const shownHere = Object.entries(written).map(([path, text]) => [
      path.slice(home.length + 1),
      text,
    ]);
    expect(Object.fromEntries(shownHere)).toMatchSnapshot();
    // Twice, with another model: what was there before is still known.
    await run("use", [agent], { model: "m-2" });
    expect((await run("use", [agent], { undo: true })).code).toBe(0);
    expect(await listFiles()).toEqual(before);
    expect((await run("use", [agent], { undo: true })).code).toBe(1);
  },
);

test("what an agent wrote into its settings since then stays; a link and the file's permissions stay too", async () => {
  await mkdir(join(home, ".config/tollgate"), { recursive: true });
  const signIn = {
    url: "https://ai.example.com",
    accessToken: "sk-x",
    expiresAt: Date.now() + 60 * minute,
    refreshToken: "r",
  };
  await writeFile(signInFile(), JSON.stringify(signIn));
  await mkdir(join(home, ".codex"));
  await mkdir(join(home, "dotfiles"));
  await writeFile(join(home, "dotfiles/config.toml"), 'model = "o3"\n');
  await chmod(join(home, "dotfiles/config.toml"), 0o640);
  await symlink(join(home, "dotfiles/config.toml"), join(home, ".codex/config.toml"));
  await run("use", ["codex"], { model: "m-1" });
  expect((await stat(join(home, "dotfiles/config.toml"))).mode & 0o777).toBe(0o640);
  const trust = '[projects."/work"]\ntrust_level = "trusted"\n';
  await writeFile(
    join(home, "dotfiles/config.toml"),
    (await readFile(join(home, ".codex/config.toml"), "utf8")) + trust,
  );
  await run("use", ["codex"], { undo: true });
  expect(await readFile(join(home, "dotfiles/config.toml"), "utf8")).toBe(`model = "o3"\n${trust}`);
});

test("settings with comments are not rewritten", async () => {
  await mkdir(join(home, ".config/tollgate"), { recursive: true });
  await mkdir(join(home, ".claude"));
  const signIn = {
    url: "https://ai.example.com",
    accessToken: "sk-x",
    expiresAt: Date.now() + 60 * minute,
    refreshToken: "r",
  };
  await writeFile(signInFile(), JSON.stringify(signIn));
  await writeFile(join(home, ".claude/settings.json"), "{ // mine\n}");
  expect(await run("use", ["claude"], { model: "m" })).toMatchObject({
    code: 1,
    err: expect.stringContaining("--print"),
  });
  expect(await readFile(join(home, ".claude/settings.json"), "utf8")).toBe("{ // mine\n}");
});

/** A gateway of an attacker, or one that is broken: each path has a reply. */
async function startForgedGateway(replies: Record<string, object>) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    response.setHeader("content-type", "application/json");
    const { status = 200, ...body } = (replies[request.url ?? ""] ?? {}) as { status?: number };
    response.writeHead(status).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, asked, close: () => server.close() };
}
const obeyed = "\u001b]0;owned\u0007\u001b[2J\u202e";
const device = {
  device_code: "d",
  user_code: `BCDF${obeyed}`,
  verification_uri: "https://x",
  verification_uri_complete: `https://x/device${obeyed}`,
  expires_in: 1,
  interval: 0,
};

test("what a hostile gateway says is text on the terminal, and a code that nobody approves ends", async () => {
  const forged = await startForgedGateway({
    "/api/agent/device": device,
    "/api/agent/token": { status: 400, error: "authorization_pending", message: obeyed },
  });
  const { code, out, err } = await run("login", [forged.url]);
  expect(code).toBe(1);
  expect(err).toContain("nobody approved the code in its time");
  expect(out).toContain("https://x/device\\u{1b}]0;owned");
  // It asked for no pause, and is asked once a second all the same.
  expect(forged.asked.length).toBeLessThanOrEqual(3);
  const refusing = await startForgedGateway({
    "/api/agent/device": device,
    "/api/agent/token": { status: 400, error: "other", message: `no${obeyed}` },
  });
  const refused = await run("login", [refusing.url]);
  expect(refused.err).toContain("no\\u{1b}");
  for (const text of [out, err, refused.out, refused.err])
    for (const sign of ["\u001b", "\u0007", "\u202e"]) expect(text).not.toContain(sign);
  forged.close();
  refusing.close();
});

test("no model with a name that a terminal or a file of settings would obey is chosen", async () => {
  const hostile = ["claude-opus-9\nexport X=1", `claude-opus-8${obeyed}`, "claude-opus-7\u0000"];
  const forged = await startForgedGateway({
    "/v1/models": { data: [...hostile, "claude-sonnet-4-6"].map((id) => ({ id })) },
  });
  await mkdir(join(home, ".config/tollgate"), { recursive: true });
  const stored = { url: forged.url, accessToken: "sk-x", refreshToken: "r" };
  await writeFile(signInFile(), JSON.stringify({ ...stored, expiresAt: Date.now() + 60 * minute }));
  const { code, out } = await run("use", ["claude"], { print: true });
  expect(code).toBe(0);
  expect(out).toContain('"ANTHROPIC_MODEL": "claude-sonnet-4-6"');
  expect(out).not.toMatch(/opus/);
  forged.close();
});
