import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startGatewayProcess } from "./gateway-process.ts";

// A stand-in that prints what a gateway prints, so that faults of the harness show on their own.
const standIn = `
  console.log("\\n  Root password: s3cret-Word\\n");
  console.log(JSON.stringify({ args: process.argv.slice(2), env: process.env }));
  if (process.env.FAIL) throw new Error("MASTER_KEY is not 32 bytes");
  process.on("SIGTERM", () => { if (!process.env.DEAF) process.exit(7); });
  setInterval(() => {}, 1000);
  console.log(JSON.stringify({ level: 30, event: "listening", url: "http://127.0.0.1:4711/" }));
`;

let folder: string;
let main: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-stand-in-"));
  main = join(folder, "main.js");
  writeFileSync(main, standIn);
});
afterAll(() => rmSync(folder, { recursive: true }));

test("a gateway is ready when it says so, and its folder goes away with it", async () => {
  const gateway = await startGatewayProcess({
    main,
    upstreams: ["http://127.0.0.1:99"],
    databaseUrl: "postgres://db/x",
  });
  expect(gateway).toMatchObject({ url: "http://127.0.0.1:4711", rootPassword: "s3cret-Word" });
  const { args, env } = JSON.parse(
    gateway
      .output()
      .split("\n")
      .find((line) => line.startsWith('{"args"')) ?? "",
  );
  expect(args).toEqual(["serve"]);
  expect(env).toMatchObject({
    PORT: "0",
    DATA_DIR: gateway.dataDir,
    DATABASE_URL: "postgres://db/x",
    UPSTREAM_PRIVATE_HOSTS: "127.0.0.1:99",
  });
  expect(env).not.toHaveProperty("VITEST");
  expect(existsSync(gateway.dataDir)).toBe(true);
  expect(await gateway.stop()).toEqual({ code: 7, signal: null });
  expect(existsSync(gateway.dataDir)).toBe(false);
});

test("a folder that was given stays, and so does a password that was given", async () => {
  const gateway = await startGatewayProcess({
    main,
    dataDir: folder,
    env: { INITIAL_ROOT_PASSWORD: "mine" },
  });
  expect(gateway.rootPassword).toBe("mine");
  await gateway.stop();
  expect(existsSync(folder)).toBe(true);
});

test("a gateway that refuses to start says why", async () => {
  await expect(startGatewayProcess({ main, env: { FAIL: "1" } })).rejects.toThrow(
    /ended with 1 before it was ready.*MASTER_KEY is not 32 bytes/s,
  );
});

test("a gateway can be killed", async () => {
  const gateway = await startGatewayProcess({ main, env: { DEAF: "1" } });
  gateway.kill("SIGKILL");
  expect(await gateway.exited).toEqual({ code: null, signal: "SIGKILL" });
  await gateway.stop();
});
