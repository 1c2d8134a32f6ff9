import { expect, test } from "vitest";
import { groupCommands, matchCommands, type PaletteCommand } from "./match-commands.ts";

const command = (group: string, text: string): PaletteCommand => ({
  id: text,
  group,
  text,
  run: () => {},
});
const commands = [
  command("Pages", "Tokens"),
  command("Pages", "Channels"),
  command("Actions", "Add Token"),
  command("Actions", "Add Channel"),
  command("Looks", "Dark theme"),
];
const texts = (found: PaletteCommand[]) => found.map(({ text }) => text);

test.each([
  ["", ["Tokens", "Channels", "Add Token", "Add Channel", "Dark theme"]],
  ["add", ["Add Token", "Add Channel"]],
  ["token add", ["Add Token"]],
  ["CHANNEL", ["Channels", "Add Channel"]],
  ["nothing", []],
])("typing %j finds %j", (typed, found) =>
  expect(texts(matchCommands(commands, typed))).toEqual(found),
);

test("commands that start with the typed text come first", () =>
  expect(texts(matchCommands(commands.toReversed(), "tok"))).toEqual(["Tokens", "Add Token"]));

test("groups keep their order", () => {
  const groups = groupCommands([...commands, command("Pages", "About")]);
  expect(groups.map(([name, members]) => [name, members.length])).toEqual([
    ["Pages", 3],
    ["Actions", 2],
    ["Looks", 1],
  ]);
});
