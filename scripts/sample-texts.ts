/**
 * The settings of the sample site's operator: ratios, granted quota, links and the texts of the
 * public pages.
 */
import { dollars } from "./sample-site.ts";

const home = `# One key for every model

This is the AI gateway of **Northlight Ltd**. Make a token, point your client at this address, and call any model that
your group may use.

| You need | Where |
|---|---|
| A key | Tokens, Add Token |
| Prices | Models |
| More quota | Top-up, or ask the platform team |

\`\`\`sh
curl "$GATEWAY/v1/chat/completions" \\
  -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" \\
  -d '{"model": "gpt-5.4-mini", "messages": [{"role": "user", "content": "Say hello."}]}'
\`\`\`
`;

const about = `## Who runs this

The platform team of Northlight Ltd, reachable at platform@example.com on working days.

## House rules

- No customer data without a signed agreement.
- One token per program, so that its spending can be seen.
- Traces are kept for 30 days and never hold prompts or answers.
`;

const notice = `**Friday, 18:00 to 19:00 UTC:** the GPU server gets more memory. Calls to \`gpt-oss-120b\`, \`llama-3.3-70b\` and
\`qwen3-32b\` fail meanwhile; everything else goes on.`;

export const options: Readonly<Record<string, string>> = {
  GroupRatio: JSON.stringify({ default: 1, vip: 0.8 }, null, 2),
  QuotaForNewUser: String(dollars(0.5)),
  QuotaForInviter: String(dollars(2)),
  QuotaForInvitee: String(dollars(1)),
  QuotaRemindThreshold: String(dollars(1)),
  AutomaticDisableChannelEnabled: "true",
  LogRetentionDays: "365",
  StatusPageEnabled: "true",
  HomePageContent: home,
  About: about,
  Notice: notice,
  Footer: "Northlight Ltd · platform@example.com",
  TopUpLink: "https://shop.example.com/quota",
};

/** The price ratio by group. */
export const groupRatios = JSON.parse(options.GroupRatio ?? "{}") as Record<string, number>;
