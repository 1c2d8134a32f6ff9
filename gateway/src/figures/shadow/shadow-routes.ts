/** Routes by which root starts and ends a dual run and sees its differences. */
import {
  getShadowReport,
  type ShadowReport,
  startShadowRun,
  stopShadowRun,
} from "@tollgate/contract/figures/shadow.ts";
import { type ApiRoute, apiRoute } from "../../http/api-route.ts";
import { refuse } from "../../http/refusal.ts";
import type { ProveIdentity } from "../../http/request-context.ts";
import type { Database } from "../../storage/database.ts";
import type { ShadowStore } from "./shadow-store.ts";

interface ShadowRoutesDeps {
  db: Database;
  shadow: ShadowStore;
  /** `addressIssue` says why the policy of outgoing requests forbids an address, or undefined. */
  addressIssue(address: string): string | undefined;
  /** Clients' keys and prompts go to the address. */
  proveIdentity: ProveIdentity;
}

const hourMs = 3_600_000;

export function buildShadowRoutes({
  db,
  shadow,
  addressIssue,
  proveIdentity,
}: ShadowRoutesDeps): ApiRoute[] {
  const report = async (now: number): Promise<ShadowReport> => {
    const [run, differences] = await Promise.all([shadow.run(), shadow.differences()]);
    return { run: run && run.until > now ? run : null, differences };
  };

  return [
    apiRoute(getShadowReport, ({ now }) => report(now)),
    apiRoute(startShadowRun, async (call) => {
      const { body, now, headers } = call;
      const { address } = body;
      const issue =
        addressIssue(address) ??
        (new URL(address).host === headers.get("host") ? "is this gateway itself" : undefined);
      if (issue !== undefined) {
        const message = `address: ${issue}`;
        throw refuse("invalid_request", { message, fields: { address: message } });
      }
      await proveIdentity(call, body);
      const run = { address, until: now + body.hours * hourMs };
      await db.write(
        [shadow.start(run, now), ...call.audit("shadow.start", address, { until: run.until })],
        {
          changes: ["options"],
        },
      );
      return await report(now);
    }),
    apiRoute(stopShadowRun, async (call) => {
      const run = await shadow.run();
      if (run)
        await db.write([shadow.stop(), ...call.audit("shadow.stop", run.address, {})], {
          changes: ["options"],
        });
      return await report(call.now);
    }),
  ];
}
