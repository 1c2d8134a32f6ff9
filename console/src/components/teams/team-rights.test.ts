import { expect, test } from "vitest";
import { mayRemoveMember, maySwitchKey, readTeamRights, type TeamRights } from "./team-rights.ts";

const owner = { id: 1, role: 1 };
const other = { id: 2, role: 1 };
const team = (role: "admin" | "member" | "viewer" | "") => ({ role, owner_id: 1 });
const list = (rights: TeamRights) =>
  Object.entries(rights).flatMap(([name, may]) => (may ? [name] : []));

test.each([
  ["the owner", owner, "admin", ["see", "use", "manage", "own"]],
  ["another admin", other, "admin", ["see", "use", "manage"]],
  ["a member", other, "member", ["use"]],
  ["a viewer", other, "viewer", ["see"]],
  ["an administrator of the site", { id: 9, role: 10 }, "", ["see", "manage", "own", "administer"]],
  [
    "root as a member",
    { id: 9, role: 100 },
    "member",
    ["see", "use", "manage", "own", "administer", "issue"],
  ],
] as const)("%s has the rights of the table", (_, reader, role, rights) => {
  expect(list(readTeamRights(reader, team(role)))).toEqual(rights);
});

test("an admin stops the key of a member, and only the member starts it again", () => {
  const admin = readTeamRights(owner, team("admin"));
  const member = readTeamRights(other, team("member"));
  const key = { user_id: 2, service: false };
  expect([true, false].map((isEnabled) => maySwitchKey(owner, admin, key, isEnabled))).toEqual([
    true,
    false,
  ]);
  expect([true, false].map((isEnabled) => maySwitchKey(other, member, key, isEnabled))).toEqual([
    true,
    true,
  ]);
  expect(maySwitchKey(other, readTeamRights(other, team("viewer")), key, true)).toBe(false);
  const service = { user_id: 0, service: true };
  expect(
    [owner, other].map((reader) =>
      maySwitchKey(reader, reader === owner ? admin : member, service, false),
    ),
  ).toEqual([true, false]);
});

test("everyone but the owner may leave, and admins remove the others, but whom a provider brought", () => {
  const row = (user_id: number) => ({ user_id, is_owner: user_id === 1, by_provider: null });
  expect(mayRemoveMember(owner, readTeamRights(owner, team("admin")), row(1))).toBe(false);
  expect(mayRemoveMember(owner, readTeamRights(owner, team("admin")), row(2))).toBe(true);
  expect(mayRemoveMember(other, readTeamRights(other, team("member")), row(2))).toBe(true);
  expect(mayRemoveMember(other, readTeamRights(other, team("member")), row(3))).toBe(false);
  const brought = { ...row(2), by_provider: { slug: "company", name: "Company" } };
  for (const reader of [owner, other])
    expect(mayRemoveMember(reader, readTeamRights(reader, team("admin")), brought)).toBe(false);
});
