import React from "react";

interface Props {
    title: string;
    items?: Array<number>;
}

export function List({ title, items }: Props): JSX.Element {
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
