import { Trans } from "@lingui/react/macro";
import { lazy, Suspense } from "react";
import { formatSystemName, useSession } from "../session.ts";
import { chooseVersion } from "./build-version.ts";

const RichText = lazy(async () => ({
  default: (await import("../components/texts/rich-text.tsx")).RichText,
}));

const version = chooseVersion(import.meta.env.VITE_APP_VERSION);
const year = new Date().getFullYear();

export function Footer() {
  const { status } = useSession();
  const name = formatSystemName(status);
  const own = status.footer_html ?? "";
  return (
    <footer className="border-line border-t text-muted text-sm">
      <div className="mx-auto flex w-full max-w-[1440px] flex-wrap items-center justify-between gap-x-6 gap-y-1 px-4 py-4 md:px-6">
        {own !== "" && (
          <Suspense>
            <RichText source={own} className="rich-text-small w-full" />
          </Suspense>
        )}
        <p>
          <Trans>
            © {year} {name}. All rights reserved.
          </Trans>
        </p>
        <p className="hidden lg:block">
          <Trans>Version {version}</Trans>
        </p>
      </div>
    </footer>
  );
}
