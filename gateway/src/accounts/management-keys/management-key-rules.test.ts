import { buildGrantableScopes } from "@tollgate/contract/accounts/grantable-scopes.ts";
import { roles } from "@tollgate/contract/accounts/roles.ts";
import { type Scope, scopes } from "@tollgate/contract/accounts/scopes.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  buildKeyColumns,
  composeManagementKey,
  hashManagementKey,
  isManagementKey,
  readCredential,
} from "./management-key-rules.ts";

const now = Date.UTC(2026, 10, 22);
const columnsOf = (requested: Scope[], role: number, lifetime_days = 1) =>
  buildKeyColumns(
    { name: "ci", scopes: requested, subnet: "", lifetime_days },
    { id: 3, role, isReadOnly: false },
    { key: composeManagementKey(), now },
  );

test("a user gives a key nothing that the user's own role has not", { tags: ["MK-01"] }, () => {
  const someScopes = fc.subarray([...scopes], { minLength: 1 });
  fc.assert(
    fc.property(
      someScopes,
      fc.constantFrom(roles.user, roles.admin, roles.root),
      (requested, role) => {
        const isWithin = requested.every((scope) => buildGrantableScopes(role).includes(scope));
        if (isWithin) expect(columnsOf(requested, role).scopes).toBe(requested.join(","));
        else
          expect(() => columnsOf(requested, role)).toThrow(
            expect.objectContaining({ code: "invalid_request" }),
          );
      },
    ),
  );
});

test("a key lives 90 days at most, unless root makes it", () => {
  const days = (count: number) => now + count * 86_400_000;
  expect(columnsOf(["tokens:read"], roles.admin, 90).expires_at).toBe(days(90));
  expect(() => columnsOf(["tokens:read"], roles.admin, 91)).toThrow(
    expect.objectContaining({
      details: expect.objectContaining({ fields: { lifetime_days: expect.any(String) } }),
    }),
  );
  expect(columnsOf(["tokens:read"], roles.root, 91).expires_at).toBe(days(91));
});

test("only a whole key is one, and only its hash and its last four characters are stored", () => {
  const key = composeManagementKey();
  expect(isManagementKey(key)).toBe(true);
  for (const other of [
    key.slice(0, -1),
    `${key}a`,
    key.slice(4),
    `${key}\n`,
    key.toUpperCase(),
    `tgm-${"é".repeat(48)}`,
  ])
    expect(isManagementKey(other), other).toBe(false);
  const columns = buildKeyColumns(
    { name: "ci", scopes: ["tokens:read"], subnet: "", lifetime_days: 1 },
    { id: 3, role: roles.user, isReadOnly: false },
    { key, now },
  );
  expect(columns).toMatchObject({ key_hash: hashManagementKey(key), hint: key.slice(-4) });
  expect(JSON.stringify(columns)).not.toContain(key.slice(4, -4));
});

test("a stored scope that this version does not know is no right, and an unreadable block allows no address", () => {
  const row = {
    id: 1,
    uuid: "",
    user_id: 3,
    team_id: null,
    name: "ci",
    key_hash: "",
    hint: "",
    scopes: "tokens:read,planets:write,none,",
    subnet: "10.0.0.0/99",
    disabled: 0,
    created_at: 0,
    expires_at: 0,
    used_at: null,
  } as const;
  const { scopes: given, subnet } = readCredential(row);
  expect(given).toEqual(["tokens:read"]);
  expect(subnet).toEqual([{ bytes: [], bits: 0 }]);
});
