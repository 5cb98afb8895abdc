-- A sample.
create table person (id integer primary key, name varchar(100) not null, age int default 0);
insert into person (id, name, age) values (1, 'one', 20), (2, 'two', null);

select 1;
select name;
select 'x', 2;
select p.name, count(*) as many, case when p.age > 18 then 'old' else 'young' end
from person as p
left join other o on o.id = p.id and o.kind = 'x'
where p.age between 10 and 20 or p.name like '%a%'
group by p.name
having count(*) > 1
order by many desc
limit 10;
select age from person;
select *
from person;

with recent as (select * from person where age + 1 < 3 * 2)
select * from recent union select * from person where id in (select id from other);

update person set name = upper(name), age = age + 1 where id = 1;
delete from person where not exists (select 1 from other);
delete from other;
create index by_name on person (name);
select 3;
select age;
