"""PyTorch: a small network is trained, forward and backward."""

import os

import torch

torch.manual_seed(36)
torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", os.cpu_count())))
net = torch.nn.Sequential(
    torch.nn.Conv2d(3, 24, 3, padding=1), torch.nn.ReLU(), torch.nn.MaxPool2d(2),
    torch.nn.Conv2d(24, 32, 3, padding=1), torch.nn.ReLU(), torch.nn.Flatten(),
    torch.nn.Linear(32 * 16 * 16, 10))
steps = torch.optim.SGD(net.parameters(), lr=0.05)
pictures, labels = torch.rand(64, 3, 32, 32), torch.randint(0, 10, (64,))
for step in range(10):
    steps.zero_grad()
    loss = torch.nn.functional.cross_entropy(net(pictures), labels)
    loss.backward()
    steps.step()
    if step % 5 == 4:
        print(step, repr(loss.item()))
x = torch.rand(1_000_000)
print(repr(x.exp().sum().item()), x.sort()[0][::200_000].tolist(), x.topk(3)[1].tolist())
