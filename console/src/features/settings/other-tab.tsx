import { msg } from "@lingui/core/macro";
import { useParams } from "@tanstack/react-router";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { DualRunCard } from "./dual-run-card.tsx";
import type { OptionSection } from "./option-sections.ts";
import { OptionTab } from "./option-tab.tsx";
import { SiteImportCard } from "./site-import-card.tsx";
import { VersionCard } from "./version-card.tsx";

const appearance: OptionSection = {
  title: msg`Appearance`,
  fields: [
    { key: "SystemName", kind: "line", label: msg`System name`, help: msg`In the header, the footer and mails.` },
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
  title: msg`Status page`,
  note: msg`Models with the share of calls that succeeded and their times, at /status. It names no channel, group or user, and no number of calls.`,
  fields: [
    {
      key: "StatusPageEnabled",
      kind: "flag",
      label: msg`Show it to users`,
      help: msg`Each sees the models of their group.`,
    },
    {
      key: "StatusPagePublicEnabled",
      kind: "flag",
      label: msg`Show it to visitors too`,
      help: msg`They see every model that is offered, as in the list of models.`,
    },
  ],
};

const contents: OptionSection = {
  title: msg`Contents`,
  note: msg`Markdown or HTML, cleaned before it is shown. Where it is nothing but an https address, that page is framed.`,
  fields: [
    {
      key: "Notice",
      kind: "text",
      label: msg`Notice`,
      help: msg`Above every page until the user dismisses it; a changed text shows again.`,
    },
    { key: "HomePageContent", kind: "text", label: msg`Home page`, help: msg`Empty shows the usual one.` },
    { key: "About", kind: "text", label: msg`About`, help: msg`The page behind About.` },
  ],
};

const SiteImportPage = lazyPart(async () => (await import("./site-import/site-import-page.tsx")).SiteImportPage);

/** The import has an address of its own below the tab's: nothing else of the settings is needed beside it. */
export function OtherTab() {
  const { id } = useParams({ strict: false });
  if (id === "import") return <SiteImportPage />;
  return (
    <OptionTab
      left={[contents]}
      leftEnd={
        <>
          <DualRunCard />
          <SiteImportCard />
        </>
      }
      right={[appearance, statusPage]}
      rightEnd={<VersionCard />}
    />
  );
}
