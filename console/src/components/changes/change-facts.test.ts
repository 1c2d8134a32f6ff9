import { expect, test } from "vitest";
import { changeAction, changeFacts, changeKey, changeSubject } from "./change-facts.ts";

const entry = (fields: object) => ({
  action: "user.update",
  target: "0199aa10",
  target_name: "tomas",
  change: "{}",
  ...fields,
});

test("the id of the thing is no fact of its own", () => {
  const uuid = "01a22ccf-27b7-7541-bfba-0783b21ef573";
  const change = JSON.stringify({ uuid, note: "abroad" });
  expect(changeFacts(entry({ target: uuid, change }))).toEqual([{ member: "note", to: "abroad" }]);
  expect(changeFacts(entry({ target: "other", change }))).toHaveLength(2);
});

test("an edit that only switches a user is told as what it did", () => {
  const action = (change: string) => changeAction(entry({ change }));
  expect(action('{"status":2}')).toBe("user.disable");
  expect(action('{"status":1}')).toBe("user.enable");
  expect(action('{"status":2,"group":"vip"}')).toBe("user.update");
  expect(action('{"status":{"from":1,"to":2}}')).toBe("user.disable");
  expect(action('{"status":{"from":2,"to":1}}')).toBe("user.enable");
  expect(action("not JSON")).toBe("user.update");
});

test("the management key of a change is told beside its maker and not among its facts", () => {
  const change = '{"status":2,"management_key":"ci"}';
  expect(changeKey({ change })).toBe("ci");
  expect(changeAction(entry({ change }))).toBe("user.disable");
  expect(changeFacts(entry({ change }))).toEqual([{ member: "status", to: 2 }]);
  expect(changeKey({ change: '{"management_key":7}' })).toBe("");
});

test("what was deleted has the name that its entry recorded", () => {
  expect(changeSubject(entry({}))).toBe("tomas");
  const gone = { action: "channel.delete", target_name: "", change: '{"name":"Old one"}' };
  expect(changeSubject(entry(gone))).toBe("Old one");
  expect(changeSubject(entry({ ...gone, change: "not JSON" }))).toBe("0199aa10");
});

const moved = { action: "channel.update", target_name: "West" };

test.each([
  ['{"from":"One","to":"Two"}', [{ member: "", from: "One", to: "Two" }]],
  ['{"status":{"from":1,"to":2}}', [{ member: "status", from: 1, to: 2 }]],
  [
    '{"name":"a","from":"0199"}',
    [
      { member: "from", to: "0199" },
      { member: "name", to: "a" },
    ],
  ],
  ['{"name":"West","priority":5}', [{ member: "priority", to: 5 }]],
  ['{"name":{"from":"East","to":"West"}}', [{ member: "name", from: "East", to: "West" }]],
  [
    '{"prices":{"from":1,"to":2,"unit":"token"}}',
    [{ member: "prices", to: { from: 1, to: 2, unit: "token" } }],
  ],
  ["{}", []],
  ["broken", []],
])("the facts of %s", (change, facts) => {
  expect(changeFacts(entry({ ...moved, change }))).toEqual(facts);
});
