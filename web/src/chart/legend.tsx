// Which colour is whom.

interface Props {
  entries: readonly { name: string; colour: string }[];
}

export function Legend({ entries }: Props) {
  return (
    <ul className="chart-legend">
      {entries.map(({ name, colour }) => (
        <li key={name}>
          <span className="swatch" style={{ background: `var(${colour})` }} aria-hidden="true" />
          {name}
        </li>
      ))}
    </ul>
  );
}
