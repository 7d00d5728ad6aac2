# data.table: groups, order, joins, files; each has OpenMP loops.
library(data.table)
set.seed(36)
n <- 6e5
d <- data.table(g = sample(2e4, n, TRUE), k = sample(1e6, n, TRUE), x = runif(n),
                s = sample(letters, n, TRUE))
cat("threads", getDTthreads() > 0, "\n")
print(d[, .(mean(x), sum(k), .N), keyby = g][c(1, 100, 20000)], digits = 15)
print(d[order(k, -x)][seq(1, n, by = 120000)], digits = 15)
print(d[, .(m = max(x)), keyby = .(s, g %% 7L)][c(1, 50, 182)], digits = 15)
fwrite(d, "out.csv")
e <- fread("out.csv")
print(all.equal(d, e))
setkey(e, k)
print(nrow(e[.(1:1000), on = "k", nomatch = NULL]))
print(sum(frank(d$x[1:100000])))
print(d[, shift(frollmean(x, 50))][c(60, 1000, 100000)], digits = 15)
