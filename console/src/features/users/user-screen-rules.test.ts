import { expect, test } from "vitest";
import { buildPermissions, findRoleFilter } from "./user-screen-rules.ts";

const root = { username: "root", role: 100 };
const otherRoot = { username: "vera", role: 100 };
const admin = { username: "ada", role: 10 };
const peer = { username: "bob", role: 10 };
const person = { username: "mira", role: 1 };

const nothing = { edit: false, manage: false, role: undefined };

test.each([
  [
    "an administrator and an ordinary user",
    admin,
    person,
    { edit: true, manage: true, role: undefined, reason: undefined },
  ],
  ["an administrator and a peer", admin, peer, { ...nothing, reason: "outOfReach" }],
  ["an administrator and root", admin, root, { ...nothing, reason: "outOfReach" }],
  ["an administrator and themselves", admin, admin, { ...nothing, reason: "yourself" }],
  [
    "root and an ordinary user",
    root,
    person,
    { edit: true, manage: true, role: "promote", reason: undefined },
  ],
  [
    "root and an administrator",
    root,
    admin,
    { edit: true, manage: true, role: "demote", reason: undefined },
  ],
  [
    "root and another root",
    root,
    otherRoot,
    { edit: true, manage: true, role: undefined, reason: undefined },
  ],
  [
    "root and itself",
    root,
    root,
    { edit: true, manage: false, role: undefined, reason: "yourself" },
  ],
] as const)("%s", (_, actor, target, permits) => {
  expect(buildPermissions(actor, target)).toEqual(permits);
});

test("only an existing role filters", () => {
  expect(["", "1", "10", "100", "7", "01", "all"].map(findRoleFilter)).toEqual([
    undefined,
    1,
    10,
    100,
    undefined,
    undefined,
    undefined,
  ]);
});
