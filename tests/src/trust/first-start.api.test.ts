/** The first start on an empty database, by one node and by several. */
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readKeyId } from "@tollgate/gateway/secrets/seal.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { sendTo, signInSession } from "../harness/api-session.ts";
import { eventually } from "../harness/eventually.ts";
import { freePort } from "../harness/free-port.ts";
import { databaseKinds } from "../harness/gateway-database.ts";
import { type GatewayProcess, startGatewayProcess } from "../harness/gateway-process.ts";
import { createDatabase, dropDatabase, runSql } from "../harness/postgres-cluster.ts";

test("no request of a first start is answered before root can sign in", async () => {
  const port = String(await freePort());
  const url = `http://127.0.0.1:${port}`;
  const starting = startGatewayProcess({
    env: { PORT: port, INITIAL_ROOT_PASSWORD: "correct horse" },
  });
  try {
    // Refused until the port is bound; from then on the request waits.
    const answered = await eventually(() => fetch(`${url}/api/status`), { everyMs: 1 });
    expect(answered.status).toBe(200);
    const root = await signInSession(
      sendTo(() => url),
      "root",
      "correct horse",
    );
    expect(await root.data("GET", "/api/user/self")).toMatchObject({ role: 100 });
  } finally {
    await (await starting).stop();
  }
});

describe.skipIf(!databaseKinds.includes("postgres"))(
  "two nodes with keys of their own on one empty database",
  () => {
    let databaseUrl: string;
    let folders: string[];
    let running: GatewayProcess[];
    beforeEach(async () => {
      databaseUrl = await createDatabase();
      folders = [1, 2].map(() => mkdtempSync(join(tmpdir(), "tollgate-node-")));
      for (const folder of folders)
        writeFileSync(join(folder, "master.key"), randomBytes(32).toString("base64"), {
          mode: 0o600,
        });
      running = [];
    });
    afterEach(async () => {
      for (const one of running) await one.stop();
      await dropDatabase(databaseUrl);
      for (const folder of folders) rmSync(folder, { recursive: true });
    });

    const start = async (dataDir = ""): Promise<GatewayProcess> => {
      const env = { INITIAL_ROOT_PASSWORD: "correct horse" };
      const one = await startGatewayProcess({ dataDir, databaseUrl, hasKey: false, env });
      running.push(one);
      return one;
    };
    const keyIn = (folder = ""): string =>
      readKeyId(Buffer.from(readFileSync(join(folder, "master.key"), "utf8").trim(), "base64"));

    test("never both run: the second is refused and names both keys, also when they start at once", async () => {
      const starts = await Promise.allSettled(folders.map(start));
      const refused = starts.flatMap((one) =>
        one.status === "rejected" ? [String(one.reason)] : [],
      );
      expect(refused).toHaveLength(1);
      const [named = ""] = (await runSql(databaseUrl, "select key_id from database_key"))
        .trim()
        .split("\n");
      const ids = folders.map(keyIn);
      const other = ids.find((id) => id !== named);
      expect(ids).toContain(named);
      expect(refused[0]).toContain(
        `belongs to the master key ${named}, and the one at hand is ${other};`,
      );
      // Later, and with something sealed, it is the same.
      await (
        await signInSession(
          sendTo(() => running[0]?.url ?? ""),
          "root",
          "correct horse",
        )
      ).data("POST", "/api/token/", {
        name: "sealed",
      });
      await expect(start(folders[ids.indexOf(other ?? "")])).rejects.toThrow(
        `the one at hand is ${other};`,
      );
    });
  },
);
