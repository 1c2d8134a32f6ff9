/** A management gateway with a mail server, set up by root as in the console. */

import { eventually } from "../harness/eventually.ts";
import { startMailbox } from "../harness/mailbox.ts";
import type { testDatabases } from "../support/test-databases.ts";
import { startManagementGateway, type TestApiClient } from "./management-gateway.ts";

export const serverAddress = "https://ai.example.org";
export type MailGateway = Awaited<ReturnType<typeof startMailGateway>>;

export async function startMailGateway(
  database: (typeof testDatabases)[number],
  site: { providerUrl?: string; publicUrl?: string } = {},
) {
  const account = { user: "mailer@example.org", pass: "smtp canary 4711" };
  const [gateway, mailbox] = await Promise.all([
    startManagementGateway(database, undefined, site.providerUrl, site.publicUrl),
    startMailbox({ account }),
  ]);
  const root: TestApiClient = await gateway.signIn("root");
  const set = async (settings: Record<string, string>) => {
    for (const [key, value] of Object.entries(settings)) {
      const { body } = await root("PUT", "/api/option/", { body: { key, value } });
      if (!body.success) throw new Error(`${key}: ${body.message}`);
    }
  };
  const usual = {
    SMTPServer: "127.0.0.1",
    SMTPPort: String(mailbox.port),
    SMTPAccount: account.user,
    SMTPToken: account.pass,
    ServerAddress: serverAddress,
    RegisterEnabled: "true",
    PasswordRegisterEnabled: "true",
    EmailVerificationEnabled: "false",
    EmailDomainRestrictionEnabled: "false",
    QuotaForNewUser: "0",
    QuotaForInviter: "0",
    QuotaForInvitee: "0",
  };
  await set(usual);
  return {
    ...gateway,
    root,
    mailbox,
    account,
    set,
    resetSettings: () => set(usual),
    /** Waits until every requested mail is sent. */
    posted: () =>
      eventually(() => {
        if (!gateway.mailer.isIdle()) throw new Error("mails are still being sent");
      }),
    /** Moves the clock beyond every limit on attempts. */
    later: () => {
      gateway.clock.now += 21 * 60_000;
    },
    async close() {
      await gateway.close();
      await mailbox.close();
    },
  };
}
