// The commands of the model: each acts on the real gateway and on the plain arithmetic, and
// compares the two.
import fc from "fast-check";
import { editBudget, grantBudget, setBudget } from "./budget-commands.ts";
import { callOnce, costlyCall, disconnectEarly, freeCall, parallelCalls } from "./call-commands.ts";
import { capMember, capMembers, grantCap, limitTeam, limitUser } from "./limit-commands.ts";
import type { ModelCommand } from "./model-command.ts";
import {
  clearLogs,
  editPrice,
  editRatio,
  enable,
  moveClock,
  register,
} from "./operator-commands.ts";
import {
  grant,
  makeCodes,
  redeem,
  setQuota,
  spoilCode,
  transfer,
  waiveDebt,
} from "./quota-commands.ts";
import { failInRun, runCalls, setRunBudget } from "./run-commands.ts";
import { setChannelBudget, spilledCalls } from "./spill-commands.ts";
import { crash, during } from "./stream-commands.ts";
import { setTagBudget, taggedCalls } from "./tag-commands.ts";
import { makeBatch, makeVideo } from "./task-commands.ts";
import {
  callByTeam,
  costlyTeamCall,
  fundTeam,
  moveMember,
  openTeam,
  removeTeam,
  switchTeam,
} from "./team-commands.ts";
import { makeTeamKey, moveKey } from "./team-key-commands.ts";
import { editToken, makeToken, removeToken } from "./token-commands.ts";
import { callTool } from "./tool-commands.ts";

const maxCommands = 24;

/** What comes before the commands of a story, and these. */
interface ModelStory {
  opening: readonly ModelCommand[];
  commands: Iterable<ModelCommand>;
}

/**
 * Two stories of three have every command from nothing. One begins with a team that has quota and
 * limits, and goes on with commands of teams and of runs.
 */
export const stories = (crashes: number): fc.Arbitrary<ModelStory> =>
  fc.oneof(
    {
      weight: 2,
      arbitrary: fc.record({
        opening: fc.constant([]),
        commands: fc.commands([allCommands(crashes)], { maxCommands, size: "+1" }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        opening: fc.tuple(openTeam(), openTeam(), capMembers(), limitTeam()),
        commands: fc.commands([teamCommands(crashes)], { maxCommands, size: "+1" }),
      }),
    },
  );

/** The weight of each command; a crash takes as long as a whole run, so it is rare. */
const allCommands = (crashes: number): fc.Arbitrary<ModelCommand> =>
  fc.oneof(
    { weight: 160, arbitrary: grant() },
    { weight: 60, arbitrary: setQuota() },
    { weight: 60, arbitrary: transfer() },
    { weight: 50, arbitrary: makeCodes() },
    { weight: 30, arbitrary: spoilCode() },
    { weight: 90, arbitrary: redeem() },
    { weight: 80, arbitrary: makeToken() },
    { weight: 80, arbitrary: editToken() },
    { weight: 30, arbitrary: removeToken() },
    { weight: 60, arbitrary: setBudget() },
    { weight: 40, arbitrary: editBudget() },
    { weight: 30, arbitrary: grantBudget() },
    { weight: 240, arbitrary: callOnce() },
    { weight: 60, arbitrary: costlyCall() },
    { weight: 15, arbitrary: waiveDebt() },
    { weight: 50, arbitrary: freeCall() },
    { weight: 60, arbitrary: parallelCalls() },
    { weight: 110, arbitrary: during() },
    { weight: 30, arbitrary: disconnectEarly() },
    { weight: 40, arbitrary: setTagBudget() },
    { weight: 60, arbitrary: taggedCalls() },
    { weight: 40, arbitrary: setChannelBudget() },
    { weight: 80, arbitrary: spilledCalls() },
    { weight: 40, arbitrary: setRunBudget() },
    { weight: 80, arbitrary: runCalls() },
    { weight: 20, arbitrary: failInRun() },
    { weight: 30, arbitrary: limitUser() },
    { weight: 100, arbitrary: callTool() },
    { weight: 80, arbitrary: makeVideo() },
    { weight: 80, arbitrary: makeBatch() },
    { weight: 60, arbitrary: moveMember() },
    { weight: 120, arbitrary: fundTeam() },
    { weight: 50, arbitrary: capMembers() },
    { weight: 30, arbitrary: capMember() },
    { weight: 40, arbitrary: limitTeam() },
    { weight: 40, arbitrary: makeTeamKey() },
    { weight: 140, arbitrary: callByTeam() },
    { weight: 30, arbitrary: costlyTeamCall() },
    { weight: 80, arbitrary: moveKey() },
    { weight: 15, arbitrary: switchTeam() },
    { weight: 20, arbitrary: removeTeam() },
    { weight: 40, arbitrary: editPrice() },
    { weight: 15, arbitrary: editRatio() },
    { weight: 15, arbitrary: clearLogs() },
    { weight: 15, arbitrary: moveClock() },
    { weight: 25, arbitrary: enable() },
    { weight: 5, arbitrary: register() },
    { weight: crashes, arbitrary: crash() },
  );

const teamCommands = (crashes: number): fc.Arbitrary<ModelCommand> =>
  fc.oneof(
    { weight: 80, arbitrary: grant() },
    { weight: 30, arbitrary: setQuota() },
    { weight: 40, arbitrary: transfer() },
    { weight: 40, arbitrary: makeToken() },
    { weight: 20, arbitrary: setBudget() },
    { weight: 40, arbitrary: limitUser() },
    { weight: 60, arbitrary: callOnce() },
    { weight: 30, arbitrary: setRunBudget() },
    { weight: 50, arbitrary: runCalls() },
    { weight: 60, arbitrary: moveMember() },
    { weight: 240, arbitrary: fundTeam() },
    { weight: 80, arbitrary: capMembers() },
    { weight: 80, arbitrary: capMember() },
    { weight: 40, arbitrary: grantCap() },
    { weight: 100, arbitrary: limitTeam() },
    { weight: 60, arbitrary: makeTeamKey() },
    { weight: 300, arbitrary: callByTeam() },
    { weight: 50, arbitrary: costlyTeamCall() },
    { weight: 160, arbitrary: moveKey() },
    { weight: 20, arbitrary: switchTeam() },
    { weight: 30, arbitrary: removeTeam() },
    { weight: 20, arbitrary: editPrice() },
    { weight: 15, arbitrary: editRatio() },
    { weight: 15, arbitrary: moveClock() },
    { weight: 25, arbitrary: enable() },
    { weight: crashes, arbitrary: crash() },
  );
