import type { ButtonHTMLAttributes, ReactNode } from "react";
import { Link } from "wouter";

type ButtonKind = "plain" | "primary" | "danger" | "quiet";

interface Props {
  kind?: ButtonKind;
  isSmall?: boolean;
}

function classOf({ kind = "plain", isSmall = false }: Props, more = ""): string {
  return `button ${kind}${isSmall ? " small" : ""} ${more}`;
}

export function Button({
  kind,
  isSmall,
  className,
  ...rest
}: Props & ButtonHTMLAttributes<HTMLButtonElement>) {
  return <button type="button" {...rest} className={classOf({ kind, isSmall }, className)} />;
}

/** To another page of the dashboard. */
export function LinkButton({ href, children, ...look }: Props & { href: string; children: ReactNode }) {
  return (
    <Link href={href} className={classOf(look)}>
      {children}
    </Link>
  );
}
