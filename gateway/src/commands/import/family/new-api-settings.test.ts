import { expect, test } from "vitest";
import { buildApiSettings } from "./new-api-settings.ts";

const none = {
  param_override: "",
  header_override: "",
  setting: "",
  settings: "",
  open_ai_organization: "",
};
const read = (columns: Partial<typeof none>) => {
  const lost: string[] = [];
  const settings = buildApiSettings({ ...none, ...columns }, (reason, field, value = "") =>
    lost.push(`${reason} ${field} ${value}`.trim()),
  );
  return { ...settings, lost };
};

test("the proxy and the system prompt of a channel are carried", () => {
  const setting = {
    proxy: "socks5://user:secret@proxy.example.com:1080",
    system_prompt: "Be brief.",
    force_format: false,
  };
  expect(read({ setting: JSON.stringify(setting) })).toEqual({
    config: {},
    systemPrompt: "Be brief.",
    proxy: "socks5://user:secret@proxy.example.com:1080",
    lost: [],
  });
});

test("a proxy at a private address is carried: this gateway's settings say whether it is allowed", () => {
  const { proxy, lost } = read({ setting: '{"proxy":"http://user:secret@127.0.0.1:7890"}' });
  expect(proxy).toBe("http://user:secret@127.0.0.1:7890");
  expect(lost).toEqual([]);
});

test("what has no place here is named without its value", () => {
  const columns = {
    setting:
      '{"proxy":"ftp://user:secret@host","thinking_to_content":true,"pass_through_body_enabled":false}',
    settings: '{"azure_responses_version":"secret"}',
    param_override: '{"operations":[]}',
    header_override: '{"X-A":"{api_key}","X-B":"{client_header:x}"}',
    open_ai_organization: "org-1",
  };
  expect(read(columns)).toEqual({
    config: { custom_headers: { "X-A": "{{key}}", "OpenAI-Organization": "org-1" } },
    systemPrompt: "",
    proxy: undefined,
    lost: [
      "setting_not_served setting thinking_to_content, proxy",
      "setting_not_served settings azure_responses_version",
      "setting_not_served param_override",
      "setting_not_served header_override",
    ],
  });
});
