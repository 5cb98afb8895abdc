# A sample.
FROM debian:12 AS build
RUN apt-get update && \\
    apt-get install -y gcc
ENV A=1 B="2"
COPY . /src
CMD ["/bin/sh", "-c"]
