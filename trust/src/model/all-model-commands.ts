// The commands of the model: each acts on the real gateway and on the plain arithmetic, and
// compares the two.
import fc from "fast-check";
import { editBudget, setBudget } from "./budget-commands.ts";
import { callOnce, costlyCall, disconnectEarly, freeCall, parallelCalls } from "./call-commands.ts";
import type { ModelCommand } from "./model-command.ts";
import {
  clearLogs,
  editPrice,
  editRatio,
  enable,
  moveClock,
  register,
} from "./operator-commands.ts";
import { grant, makeCodes, redeem, setQuota, spoilCode, waiveDebt } from "./quota-commands.ts";
import { runCalls, setRunBudget } from "./run-commands.ts";
import { setChannelBudget, spilledCalls } from "./spill-commands.ts";
import { crash, during } from "./stream-commands.ts";
import { setTagBudget, taggedCalls } from "./tag-commands.ts";
import { makeBatch, makeVideo } from "./task-commands.ts";
import {
  callByTeam,
  capMembers,
  costlyTeamCall,
  fundTeam,
  makeTeamKey,
  moveKey,
  moveMember,
  removeTeam,
  switchTeam,
} from "./team-commands.ts";
import { editToken, makeToken, removeToken } from "./token-commands.ts";
import { callTool } from "./tool-commands.ts";

/** The weight of each command; a crash takes as long as a whole run, so it is rare. */
export const commands = (crashes: number): fc.Arbitrary<ModelCommand> =>
  fc.oneof(
    { weight: 160, arbitrary: grant() },
    { weight: 60, arbitrary: setQuota() },
    { weight: 50, arbitrary: makeCodes() },
    { weight: 30, arbitrary: spoilCode() },
    { weight: 90, arbitrary: redeem() },
    { weight: 80, arbitrary: makeToken() },
    { weight: 80, arbitrary: editToken() },
    { weight: 30, arbitrary: removeToken() },
    { weight: 60, arbitrary: setBudget() },
    { weight: 40, arbitrary: editBudget() },
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
    { weight: 100, arbitrary: callTool() },
    { weight: 80, arbitrary: makeVideo() },
    { weight: 80, arbitrary: makeBatch() },
    { weight: 60, arbitrary: moveMember() },
    { weight: 120, arbitrary: fundTeam() },
    { weight: 50, arbitrary: capMembers() },
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
