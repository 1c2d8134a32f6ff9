// MySQL's wire and dialect for real, by a private MariaDB.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSource } from "@tollgate/gateway/commands/import/sources/open-source.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type MariadbServer, mariadbAvailable, startMariadb } from "../harness/mariadb-server.ts";
import {
  awkwardRows,
  createFamilyDatabase,
  type FamilySystem,
  familyStatements,
} from "../support/family-database.ts";
import { readSite } from "../support/read-site.ts";
import { runCommand, startCommand } from "../trust/gateway-command.ts";

const installed = mariadbAvailable();

describe.skipIf(!installed.available && !process.env.CI)("a source in MySQL", () => {
  let server: MariadbServer;
  let folder: string;
  const sites = {
    "one-api": awkwardRows("one-api"),
    "laisky-one-api": awkwardRows("laisky-one-api"),
    "new-api": awkwardRows("new-api"),
  };
  const addressOf = (name: string) =>
    `root:@unix(${server.socketPath})/${name}?charset=utf8mb4&parseTime=True`;
  const nameOf = (system: FamilySystem) => system.replaceAll("-", "_");

  beforeAll(async () => {
    server = await startMariadb({ hasTls: true });
    folder = mkdtempSync(join(tmpdir(), "tollgate-mysql-"));
    for (const system of ["one-api", "laisky-one-api", "new-api"] as const)
      await server.createDatabase(nameOf(system), familyStatements(system, "mysql", sites[system]));
  });
  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true });
  });

  test.each<FamilySystem>(["one-api", "laisky-one-api", "new-api"])(
    "of %s is read as its SQLite file",
    async (system) => {
      const file = join(folder, `${system}.db`);
      createFamilyDatabase(file, system, sites[system]);
      expect(await readSite(await openSource(addressOf(nameOf(system))))).toEqual(
        await readSite(await openSource(file)),
      );
    },
  );

  test("is imported and compared by the command, whose report has no secret", async () => {
    const config = { dataDir: join(folder, "data"), databaseUrl: undefined };
    const imported = await runCommand(config, "import", addressOf("one_api"), "--all");
    expect(imported.text).toContain("The books agree.");
    expect(imported.code).toBe(2);
    const verified = await runCommand(config, "import", "verify", addressOf("one_api"));
    expect(verified.text).toContain(" 0 differences.");
    for (const secret of ["oldKey1", "azure-key", "mail-password"])
      expect(imported.text).not.toContain(secret);
  });

  test("cannot be written through, and views are not read", async () => {
    await server.createDatabase("one_api", [
      ["create or replace view two_fas as select sleep(100) as id", []],
    ]);
    const source = await openSource(addressOf("one_api"));
    expect(await source.columns("two_fas")).toEqual(new Set());
    const hostile = "options` (`key`) values ('x') -- ";
    await expect(
      source.page({ table: hostile, columns: ["key"], key: "key", after: undefined, limit: 1 }),
    ).rejects.toThrow(/cannot be read/);
    await source.close();
  });

  describe("over TLS", () => {
    const overTls = (host: string, tls: string) =>
      `reader:@tcp(${host}:${server.tls?.port})/one_api?tls=${tls}`;
    beforeAll(async () => {
      const reader = "create user if not exists reader@'127.0.0.1' require ssl";
      await server.createDatabase("one_api", [
        [reader, []],
        ["grant select on *.* to reader@'127.0.0.1'", []],
      ]);
    });

    test.each(["skip-verify", "preferred"])(
      "is read with tls=%s, whatever its certificate is",
      async (tls) => {
        const source = await openSource(overTls("127.0.0.1", tls));
        expect((await source.columns("users")).has("username")).toBe(true);
        await source.close();
      },
    );

    test("is refused without, where the server asks for it", async () => {
      await expect(openSource(overTls("127.0.0.1", "false"))).rejects.toThrow(/cannot be read/);
    });

    test("with tls=true, a certificate that does not verify is refused with what to do", async () => {
      await expect(openSource(overTls("localhost", "true"))).rejects.toThrow(
        /certificate does not verify .*NODE_EXTRA_CA_CERTS.*tls=skip-verify/,
      );
      await expect(openSource(overTls("localhost", "custom"))).rejects.toThrow(
        /use true, skip-verify/,
      );
    });

    test("with tls=true, a certificate counts for its name alone, also where the address was checked before", async () => {
      const config = { dataDir: join(folder, "over-tls"), databaseUrl: undefined };
      const environment = { NODE_EXTRA_CA_CERTS: server.tls?.certificateFile ?? "" };
      const run = async (host: string) => {
        const command = startCommand(
          config,
          ["import", overTls(host, "true"), "--plan"],
          environment,
        );
        const { code } = await command.exited;
        return { code, text: command.output() };
      };
      expect((await run("localhost")).text).toContain("this is the plan");
      expect((await run("127.0.0.1")).text).toMatch(/Refused: .*not by its IP address/);
      const source = await openSource(overTls("db.invalid", "skip-verify"), "127.0.0.1");
      expect((await source.columns("users")).has("username")).toBe(true);
      await source.close();
    });
  });

  test("that cannot be reached is refused without its password", async () => {
    await expect(openSource("root:s3cret-password@tcp(127.0.0.1:1)/one")).rejects.toThrow(
      /MySQL at 127\.0\.0\.1:1\/one cannot be read/,
    );
  });
});
