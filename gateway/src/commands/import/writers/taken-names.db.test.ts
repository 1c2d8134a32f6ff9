import { roles } from "@tollgate/contract/accounts/roles.ts";
import { ruleDatabases, type TestDatabase } from "@tollgate/tests/support/test-databases.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { SourceUser } from "../import-items.ts";
import { readTakenNames } from "./taken-names.ts";

describe.each(ruleDatabases)("names of an import on $name", (database) => {
  let storage: TestDatabase;
  beforeEach(async () => {
    storage = await database.open();
  });
  afterEach(() => storage.close());

  const namesWith = (...keepRoot: string[]) =>
    readTakenNames(storage.db, { keepRoot: new Set(keepRoot), oidcAccounts: undefined });
  const user = (username: string, role: number = roles.user) =>
    ({
      username,
      role,
      email: "",
      invitationCode: undefined,
      externalAccounts: [],
    }) as unknown as SourceUser;

  test("no account stands beside root with a name that looks like it, and the report says so", async () => {
    const taken = await namesWith();
    for (const [index, name] of [
      "root",
      "ROOT",
      "Root",
      "r\u043e\u043et",
      "ro\u200bot",
    ].entries()) {
      const chosen = taken.take(String(index), user(name, roles.admin));
      expect(chosen.username).toBe(`${name}-${index}`);
      expect(chosen.problems).toEqual([
        { reason: "name_taken", field: "username", value: `${name}-${index}` },
      ]);
    }
    expect(taken.take("9", user("rooted"))).toMatchObject({ username: "rooted", problems: [] });
  });

  test("a kept root keeps its name, and no other gets it", async () => {
    const taken = await namesWith("root");
    expect(taken.take("1", user("root", roles.root))).toMatchObject({
      username: "root",
      problems: [],
    });
    expect(taken.take("2", user("ROOT", roles.root)).username).toBe("ROOT-2");
    const others = await namesWith("boss");
    expect(others.take("1", user("root", roles.root)).username).toBe("root-1");
  });
});
