import { msg } from "@lingui/core/macro";
import type { OptionSection } from "./option-sections.ts";

const contents: OptionSection = {
  id: "contents",
  title: msg`Contents`,
  note: msg`Markdown or HTML, cleaned before it is shown. Where it is nothing but an https address, that page is framed.`,
  fields: [
    {
      key: "Notice",
      kind: "text",
      label: msg`Notice`,
      help: msg`Above every page until the user dismisses it; a changed text shows again.`,
    },
    {
      key: "HomePageContent",
      kind: "text",
      label: msg`Home page`,
      help: msg`Leave empty to show the usual one.`,
    },
    { key: "About", kind: "text", label: msg`About`, help: msg`The page behind About.` },
  ],
};

const appearance: OptionSection = {
  id: "appearance",
  title: msg`Appearance`,
  fields: [
    {
      key: "SystemName",
      kind: "line",
      label: msg`System name`,
      help: msg`In the header, the footer and mails.`,
    },
    {
      key: "Logo",
      kind: "line",
      label: msg`Logo`,
      help: msg`The address of a picture: https, or a path on this server.`,
    },
    {
      key: "Footer",
      kind: "text",
      label: msg`Footer`,
      help: msg`Markdown or HTML, above the usual line.`,
    },
  ],
};

const statusPage: OptionSection = {
  id: "status-page",
  title: msg`Status page`,
  note: msg`Shows each model's success rate and response times at /status. It names no channels, groups, users or call counts.`,
  fields: [
    {
      key: "StatusPageEnabled",
      kind: "flag",
      label: msg`Show it to users`,
      help: msg`Users see the models of their group.`,
    },
    {
      key: "StatusPagePublicEnabled",
      kind: "flag",
      label: msg`Show it to visitors too`,
      help: msg`They see every model that is offered, as in the list of models.`,
    },
  ],
};

/** The sections of the tab Other, in their order. */
export const otherSections: readonly OptionSection[] = [contents, appearance, statusPage];
