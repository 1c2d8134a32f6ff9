// Names with line ends, colour codes and formulas, wherever users, clients and providers choose
// names.
import { afterAll, beforeAll, expect, test } from "vitest";
import { rootPassword } from "../harness/database-templates.ts";
import { eventually } from "../harness/eventually.ts";
import { chatBody, startTestGateway, type TestGateway } from "../harness/test-gateway.ts";
import { type CannedProvider, startCannedProvider } from "../relay/canned-provider.ts";

const formulas = ['=HYPERLINK("http://evil")', "+1+1", "@SUM(A1)", "-2+3"];
const odd = ["\u001b[31mred", "a\u2028b", "a\u202eb"];
const broken = ["a\r\nb", "a\nset-cookie: x=1", "a\rb", "a\0b"];

let world: TestGateway;
let canned: CannedProvider;
beforeAll(async () => {
  canned = await startCannedProvider();
  world = await startTestGateway({ upstreams: [canned.url], env: { LOG_CALLS: "true" } });
  await world.given.channel({ key: "k", base_url: canned.url, models: "m" });
});
afterAll(async () => {
  await world.close();
  await canned.close();
});

test("F-68 names with line ends, colours and formulas stay names: one log line, no header, no formula", {
  tags: ["F-68"],
}, async () => {
  for (const name of broken)
    await expect(world.given.token({ name })).rejects.toThrow(/"success":false/);
  const { key } = await world.given.token();
  for (const name of [...formulas, ...odd, ...broken]) {
    const agent = name.replaceAll(/[^ -~]/g, "");
    const response = await world.send(key, chatBody({ model: name }), {
      headers: { "user-agent": agent },
    });
    await response.text();
    expect([400, 404]).toContain(response.status);
    expect(response.headers.get("set-cookie")).toBeNull();
  }
  canned.answer = (response) =>
    void response
      .writeHead(400)
      .end(JSON.stringify({ error: { message: [...odd, ...broken].join(" ") } }));
  for (const name of formulas) {
    const token = await world.given.token({ name });
    const response = await world.send(token.key, chatBody({ model: "m" }));
    await response.text();
    expect(response.headers.get("set-cookie")).toBeNull();
  }
  await world.settled();

  // The program writes its lines a moment later.
  const output = await eventually(() => {
    expect(world.process.output().match(/"event":"call"/g)?.length).toBeGreaterThanOrEqual(
      formulas.length,
    );
    return world.process.output();
  });
  const lines = output.split("\n").filter((line) => line.startsWith("{"));
  for (const line of lines) expect(() => JSON.parse(line) as unknown, line).not.toThrow();
  expect(output.includes("\u001b")).toBe(false);
  expect(output).not.toMatch(/^set-cookie/m);
  const root = (await world.signIn("root", rootPassword)).request;
  const { text: exported } = await root("GET", "/api/log/export?type=2");
  expect(exported).toContain("SUM(A1)");
  expect(exported).not.toMatch(/(^|[,\n])"?[=@]/);
  expect((await world.logs()).map(({ token_name }) => token_name)).toEqual(formulas);
});
