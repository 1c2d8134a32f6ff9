import { Trans } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Gate } from "../../shell/gate.tsx";
import { SiteLogo } from "../../shell/site-logo.tsx";
import { useDocumentTitle } from "../../ui/page.tsx";

type VisitorFrameProps = {
  /** The document title, and the heading unless `heading` is set. */
  title: string;
  heading?: string;
  subtitle?: ReactNode;
  children: ReactNode;
};

/** The narrow column of the pages for visitors. */
export function VisitorFrame({ title, heading = title, subtitle, children }: VisitorFrameProps) {
  useDocumentTitle(title);
  return (
    <div className="mx-auto flex w-full max-w-sm flex-col gap-5 pt-4 md:pt-14 lg:grid lg:max-w-5xl lg:grid-cols-2 lg:items-stretch lg:gap-16">
      <div className="flex-col justify-between lg:flex lg:min-h-112 lg:rounded-lg lg:bg-accent-soft lg:p-10">
        <p className="hidden font-semibold text-2xl lg:block">
          <Trans>Many AI models behind one address, with one key and one bill.</Trans>
        </p>
        <SiteLogo
          className="size-12 rounded-md object-contain lg:size-24"
          fallback={<Gate width="min(100%, 26rem)" />}
        />
      </div>
      <div className="flex flex-col justify-center gap-5">
        <div className="flex flex-col gap-3">
          <h1 className="font-semibold text-xl [overflow-wrap:anywhere]">{heading}</h1>
          {subtitle !== undefined && <p className="text-muted">{subtitle}</p>}
        </div>
        {children}
      </div>
    </div>
  );
}

/** A link to another visitor page, at the bottom of the column. */
export function VisitorLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Link to={to} className="rounded-sm py-1.5 text-accent underline underline-offset-2">
      {children}
    </Link>
  );
}
