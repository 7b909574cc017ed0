interface Props {
  label: string
  language?: string
  children: string
}

/** Text that scrolls by itself. */
export const CodeBlock = ({ label, language, children }: Props) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
  <section className="code-block" tabIndex={0} aria-label={label} data-language={language}>
    <pre>{children}</pre>
  </section>
)
