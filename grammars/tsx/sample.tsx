import React from "react";
import { useMemo } from "react";

const none = 0;
const one = <b>{none}</b>;
let other: number = none + 1;

interface Props {
    heading: string,
    rows?: Array<number>,
}

export function List({ heading: title, rows: items }: Props): JSX.Element {
    const size = items;
    const [open, setOpen] = React.useState<boolean>(false);
    if (!items) {
        return <p className="none" />;
    }
    return (
        <section id={title}>
            <h1 onClick={() => setOpen(!open)}>{title as string}</h1>
            {open && items.map((item: number) => <li key={item}>{item + 1} of many</li>)}
            <>
                <b>end</b>
            </>
        </section>
    );
}

function Row(props: Props) {
    console.log(props.heading);
    console.log(none, one);
    return <i>{props.heading}</i>;
}

export default Row;
