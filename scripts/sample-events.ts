/**
 * Events of the sample month besides calls: grants, codes, an invitation, changes by an
 * administrator.
 */
import {
  computeStep,
  computeTotpCode,
} from "@tollgate/gateway/accounts/identity/totp/totp-code.ts";
import type { SampleApi } from "./sample-api.ts";
import { dollars, samplePassword, sampleUsers } from "./sample-site.ts";

/** An event `daysAgo`; events run in this order. */
export interface SampleEvent {
  daysAgo: number;
  run(api: SampleApi): Promise<void>;
}

const topUp = (daysAgo: number, username: string, amount: number, remark: string): SampleEvent => ({
  daysAgo,
  async run(api) {
    const admin = await api.signIn("mara", samplePassword);
    const user_id = await api.userId(username);
    await admin("POST", "/api/topup", { user_id, quota: dollars(amount), remark });
  },
});

const codes = (
  daysAgo: number,
  name: string,
  amount: number,
  count: number,
  then?: SampleRedemptionUse,
): SampleEvent => ({
  daysAgo,
  async run(api) {
    const root = await api.signIn("root", samplePassword);
    const made = await root<string[]>("POST", "/api/redemption/", {
      name,
      quota: dollars(amount),
      count,
    });
    for (const username of then?.redeemedBy ?? []) {
      const client = await api.signIn(username, samplePassword);
      await client("POST", "/api/user/topup", { key: made.shift() });
    }
    if (!then?.isDisabled) return;
    const listed = await root<{ id: number; name: string }[]>("GET", "/api/redemption/?size=100");
    for (const { id } of listed.filter((code) => code.name === name))
      await root("PUT", "/api/redemption/?status_only=1", { id, status: 2 });
  },
});

interface SampleRedemptionUse {
  redeemedBy?: readonly string[];
  isDisabled?: true;
}

/** Amélie invites a colleague, and both receive quota. */
const invitation: SampleEvent = {
  daysAgo: 21,
  async run(api) {
    const inviter = await api.signIn("amelie", samplePassword);
    const invitation_code = await inviter<string>("POST", "/api/user/aff");
    const account = { username: "diego", password: samplePassword, email: "diego@example.org" };
    await api.visitor("POST", "/api/user/register", { ...account, invitation_code });
  },
};

const secondFactors: SampleEvent = {
  daysAgo: 18,
  async run(api) {
    for (const { username } of sampleUsers.filter(({ hasSecondFactor }) => hasSecondFactor)) {
      const client = await api.signIn(username, samplePassword);
      const current_password = samplePassword;
      const { secret } = await client<{ secret: string }>("POST", "/api/user/totp/setup", {
        current_password,
      });
      const totp_code = computeTotpCode(bytesOf(secret), computeStep(api.now()));
      await client("POST", "/api/user/totp/confirm", { totp_code, current_password });
    }
  },
};

/** Decodes base32, as authenticator apps do. */
function bytesOf(secret: string): Uint8Array {
  const bits = [...secret].map((sign) =>
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(sign).toString(2).padStart(5, "0"),
  );
  return Uint8Array.from(bits.join("").match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2));
}

const corrected: SampleEvent = {
  daysAgo: 2,
  async run(api) {
    const root = await api.signIn("root", samplePassword);
    await root("PUT", "/api/user/", { id: await api.userId("diego"), quota: dollars(0.8) });
  },
};

export const events: readonly SampleEvent[] = [
  topUp(26, "support", 50, "budget of the help centre"),
  codes(24, "Workshop", 5, 6, { redeemedBy: ["support", "billing", "liuting"] }),
  invitation,
  secondFactors,
  topUp(15, "research", 100, "evaluation of the new models"),
  codes(12, "Trade fair", 2, 4, { isDisabled: true }),
  topUp(7, "elena", 25, ""),
  codes(3, "Hackathon", 10, 8, { redeemedBy: ["elena"] }),
  corrected,
];
