// Redemption codes are made by a real gateway that is killed in the middle of it.
import { expect } from "vitest";
import { databaseKinds } from "../harness/gateway-database.ts";
import { startTestGateway } from "../harness/test-gateway.ts";
import { testLarge } from "../support/large-tests.ts";

const batch = 100;

testLarge(databaseKinds, { timeout: 90_000 })(
  "a gateway on %s that is killed while it generates has stored whole batches only",
  async (store) => {
    const gateway = await startTestGateway({ store });
    try {
      let answered = 0;
      for (let kills = 0; kills < 3; kills += 1) {
        const asked = Array.from({ length: 24 }, () =>
          gateway
            .api<string[]>("POST", "/api/redemption/", { name: "killed", quota: 5, count: batch })
            .then((codes) => {
              answered += codes.length;
            }),
        );
        // The rest is on its way at this moment.
        await Promise.any(asked);
        await gateway.restart("SIGKILL");
        await Promise.allSettled(asked);
      }
      const [made] = await gateway.rows<{ codes: number }>(
        "select count(*) as codes from redemptions",
      );
      const total = made?.codes ?? 0;
      expect(total % batch).toBe(0);
      expect(answered).toBeGreaterThan(0);
      // What was answered is stored, whatever came after.
      expect(total).toBeGreaterThanOrEqual(answered);
      const [audited] = await gateway.rows<{ batches: number }>(
        "select count(*) as batches from audit_entries where action = 'redemption.create'",
      );
      expect((audited?.batches ?? 0) * batch).toBe(total);
    } finally {
      await gateway.close();
    }
  },
);
