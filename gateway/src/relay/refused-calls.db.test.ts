import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { logTypes } from "@tollgate/contract/figures/logs.ts";
import { testDatabases } from "@tollgate/tests/support/test-databases.ts";
import { expect, test } from "vitest";
import type { RelayCaller } from "./admission/api-keys.ts";
import { Exchange } from "./exchange.ts";
import { createRefusedCalls, refusedPerUser } from "./refused-calls.ts";
import { RelayRefused } from "./wire/relay-refusal.ts";

const users = 20;
const refused = new RelayRefused({
  status: 503,
  type: "service_unavailable",
  code: "no_channel",
  message: "No channel is available",
});

const callerOf = (userId: number): RelayCaller => ({
  ...{
    userId,
    teamId: 0,
    team: undefined,
    memberId: 0,
    username: `user ${userId}`,
    role: 1,
    userStatus: 1,
    group: "default",
    groups: ["default"],
    namesGroups: false,
    walletId: userId,
  },
  ...{
    tokenId: userId,
    tokenName: "key",
    tokenStatus: 1,
    pause: null,
    isUnlimited: true,
    remainQuota: 0,
    expiredAt: null,
  },
  ...{
    models: null,
    subnets: [],
    mcpTools: null,
    tags: undefined,
    bodies: "",
    cacheSeconds: 0,
    promptMarks: "",
    limits: undefined,
    isOldKey: false,
    isFoundWhole: false,
  },
});

test.each(testDatabases)(
  "a burst of many users' refusals leaves every row and trace on $name",
  async ({ open }) => {
    const { db, close } = await open();
    const errors: unknown[] = [];
    try {
      const now = Date.now();
      const calls = createRefusedCalls({
        db,
        now: () => now,
        isOn: () => true,
        onError: (error) => errors.push(error),
      });
      for (let count = 0; count < users * refusedPerUser.limit; count += 1) {
        const request = new IncomingMessage(new Socket());
        const exchange = new Exchange(
          db.mintId(),
          request,
          new ServerResponse(request),
          "127.0.0.1",
        );
        exchange.learn({ caller: callerOf(1 + (count % users)) });
        calls.record(exchange, refused);
      }
      await calls.close();
      const [logs] = await db.read(
        db.sql
          .selectFrom("logs")
          .select(({ fn }) => fn.countAll<number>().as("count"))
          .where("type", "=", logTypes.refused),
      );
      const [traces] = await db.read(
        db.sql.selectFrom("traces").select(({ fn }) => fn.countAll<number>().as("count")),
      );
      expect({ logs: Number(logs?.count), traces: Number(traces?.count), errors }).toEqual({
        logs: users * refusedPerUser.limit,
        traces: users * refusedPerUser.limit,
        errors: [],
      });
    } finally {
      await close();
    }
  },
);
