// The page about a lost master key names every value that was sealed with it.
import { encryptedColumns } from "@tollgate/gateway/secrets/encrypted-columns.ts";
import { secretOptions } from "@tollgate/gateway/settings/option-defaults.ts";
import { expect, test } from "vitest";
import { listLostKeyStatements } from "./lost-key-statements.ts";

const statements = listLostKeyStatements();

test.each(Object.entries(encryptedColumns))(
  "values sealed for %s are emptied or deleted",
  (_, { table, column }) => {
    const found = statements.filter(
      (statement) =>
        statement.startsWith(`delete from ${table}`) ||
        new RegExp(`^update ${table} set .*\\b${column} = `).test(statement),
    );
    expect(found).toHaveLength(1);
  },
);

test("every secret of the settings is named, and the database forgets its key last", () => {
  const [options = ""] = statements.filter((one) => one.startsWith("delete from options"));
  const named = [...options.matchAll(/'(\w+)'/g)].map(([, name]) => name);
  expect(named.sort()).toEqual([...secretOptions].sort());
  expect(statements.at(-1)).toBe("delete from database_key");
});
